import type { Behaviour } from "../contract/behaviour.ts";
import { operations, type Operation } from "../contract/operations.ts";
import { reference, responseHeaders, type Schema } from "./field-schema.ts";

/** A kind of refusal: rulings 2 and 3. */
interface Refusal {
  readonly status: number;
  /** Under `components`. */
  readonly name: string;
  readonly description: string;
  readonly headers?: Schema;
  readonly isPossible: (operation: Operation) => boolean;
}

const always = (): boolean => true;
const withBody = ({ body }: Operation): boolean => body !== undefined;

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
};

const statusAlways200 = 200;

/** Returns the refusals of a service, in the order of their statuses. */
function refusalsWith(behaviour: Behaviour): readonly Refusal[] {
  const refusals = [...keyRefusals(behaviour), ...otherRefusals, ...requestRefusals(behaviour)];
  const isAlways200 = behaviour.error_status === "always_200";
  return refusals
    .map((one) => (isAlways200 && one.status < 500 ? { ...one, status: statusAlways200 } : one))
    .toSorted((one, other) => one.status - other.status);
}

function keyRefusals({ no_key_status, unknown_key_status }: Behaviour): readonly Refusal[] {
  if (no_key_status === unknown_key_status) {
    return [
      {
        status: no_key_status,
        name: "Unauthorized",
        description: "The request has no key, or a key that the service has not issued.",
        isPossible: always,
      },
    ];
  }
  return [
    {
      status: no_key_status,
      name: "NoKey",
      description: "The request has no key.",
      isPossible: always,
    },
    {
      status: unknown_key_status,
      name: "UnknownKey",
      description: "The request has a key that the service has not issued.",
      isPossible: always,
    },
  ];
}

/** The refusals whose statuses a behaviour can change. */
function requestRefusals(behaviour: Behaviour): readonly Refusal[] {
  const isPastRefused = behaviour.past_the_end === "refused";
  const hasUniqueGroups = behaviour.group_name_unique;
  return [
    {
      status: behaviour.not_found_status,
      name: "NotFound",
      description: isPastRefused
        ? "The integration has no such record or page."
        : "The integration has no such record.",
      isPossible: ({ path, query }) => path.includes("{") || (isPastRefused && query !== undefined),
    },
    {
      status: behaviour.taken_status,
      name: "Conflict",
      description: hasUniqueGroups
        ? "The integration already has a record with this name."
        : "The integration already has a sender ID with this name.",
      isPossible: ({ resource, body }) =>
        resource === "sender-id" ? body === "create" : hasUniqueGroups && body !== undefined,
    },
    {
      status: behaviour.invalid_status,
      name: "Invalid",
      description: "Fields of the body or parameters of the query are invalid.",
      isPossible: ({ body, query }) => body !== undefined || query !== undefined,
    },
  ];
}

const otherRefusals: readonly Refusal[] = [
  {
    status: 400,
    name: "BadRequest",
    description: "The path is not percent-encoded correctly, or the body is not valid JSON.",
    isPossible: always,
  },
  {
    status: 413,
    name: "ContentTooLarge",
    description: "The body is longer than 64 KiB.",
    isPossible: withBody,
  },
  {
    status: 415,
    name: "UnsupportedMediaType",
    description: "The body is not declared as JSON.",
    isPossible: withBody,
  },
  {
    status: 429,
    name: "TooManyRequests",
    description: "The key has used up its rate of requests.",
    headers: retryAfter,
    isPossible: always,
  },
  {
    status: 500,
    name: "ServerError",
    description: "A defect of the service.",
    isPossible: always,
  },
  {
    status: 503,
    name: "Unavailable",
    description: "The database is busy, or the service is shutting down. Nothing was changed.",
    isPossible: always,
  },
];

/** Returns the refusals that an operation can meet, those with the same status together. */
function alikeOf(operation: Operation, behaviour: Behaviour): (readonly Refusal[])[] {
  const possible = refusalsWith(behaviour).filter(
    ({ status, isPossible }) => status !== statusAlways200 && isPossible(operation),
  );
  const statuses = [...new Set(possible.map(({ status }) => status))];
  return statuses.map((status) => possible.filter((one) => one.status === status));
}

/** Returns the refusals that an operation can meet, by status. Those with the same status share a response. */
export function refusalsOf(operation: Operation, behaviour: Behaviour): Record<string, Schema> {
  const entries = alikeOf(operation, behaviour).map((alike) => {
    const [{ name, status }] = alike as [Refusal];
    const isAlone = alike.length === 1;
    return [status, isAlone ? reference("responses", name) : response(alike, behaviour)];
  });
  return Object.fromEntries(entries) as Record<string, Schema>;
}

/** Returns the response of refusals that have the same status. */
function response(refusals: readonly Refusal[], { error_body }: Behaviour): Schema {
  const type = error_body === "problem" ? "application/problem+json" : "application/json";
  return {
    description: refusals.map(({ description }) => description).join(" Or: "),
    headers: { ...refusals[0]!.headers, ...responseHeaders },
    content: { [type]: { schema: reference("schemas", "Refusal") } },
  };
}

/** Returns the refusals under `components`, by name: those that an operation refers to. */
export function refusalResponses(behaviour: Behaviour): Record<string, Schema> {
  const alone = new Set(
    Object.values(operations)
      .flatMap((operation) => alikeOf(operation, behaviour))
      .filter((alike) => alike.length === 1)
      .map(([one]) => one!.name),
  );
  return Object.fromEntries(
    refusalsWith(behaviour)
      .filter(({ name }) => alone.has(name))
      .map((one) => [one.name, response([one], behaviour)]),
  );
}
