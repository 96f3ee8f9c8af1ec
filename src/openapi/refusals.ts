import type { Operation } from "../contract/operations.ts";
import { reference, type Schema } from "./schemas.ts";

/** How the engine refuses requests: rulings 2 and 3. */
interface Refusal {
  /** Under `components`. */
  readonly name: string;
  readonly description: string;
  readonly headers?: Schema;
  readonly isPossible: (operation: Operation) => boolean;
}

const always = (): boolean => true;

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
};

const refusals: Readonly<Record<number, Refusal>> = {
  400: {
    name: "BadRequest",
    description: "The path is not percent-encoded correctly, or the body is not valid JSON.",
    isPossible: always,
  },
  401: {
    name: "Unauthorized",
    description: "The request has no key, or a key that the service has not issued.",
    isPossible: always,
  },
  404: {
    name: "NotFound",
    description: "The integration has no such record.",
    isPossible: ({ path }) => path.includes("{"),
  },
  409: {
    name: "Conflict",
    description: "The integration already has a sender ID with this name.",
    isPossible: ({ resource, body }) => resource === "sender-id" && body === "create",
  },
  413: {
    name: "ContentTooLarge",
    description: "The body is longer than 64 KiB.",
    isPossible: ({ body }) => body !== undefined,
  },
  415: {
    name: "UnsupportedMediaType",
    description: "The body is not declared as JSON.",
    isPossible: ({ body }) => body !== undefined,
  },
  422: {
    name: "Invalid",
    description: "Fields of the body or parameters of the query are invalid.",
    isPossible: ({ body, query }) => body !== undefined || query !== undefined,
  },
  429: {
    name: "TooManyRequests",
    description: "The key has used up its rate of requests.",
    headers: retryAfter,
    isPossible: always,
  },
  500: {
    name: "ServerError",
    description: "A defect of the service.",
    isPossible: always,
  },
  503: {
    name: "Unavailable",
    description: "The database is busy, or the service is shutting down. Nothing was changed.",
    isPossible: always,
  },
};

/** Returns references to the refusals that an operation can meet, by status. */
export function refusalsOf(operation: Operation): Record<string, Schema> {
  const possible = Object.entries(refusals).filter(([, { isPossible }]) => isPossible(operation));
  return Object.fromEntries(
    possible.map(([status, { name }]) => [status, reference("responses", name)]),
  );
}

/** Returns the refusals under `components`, by name. */
export function refusalResponses(): Record<string, Schema> {
  const content = { "application/json": { schema: reference("schemas", "Refusal") } };
  return Object.fromEntries(
    Object.values(refusals).map(({ name, description, headers }) => [
      name,
      { description, ...(headers === undefined ? {} : { headers }), content },
    ]),
  );
}
