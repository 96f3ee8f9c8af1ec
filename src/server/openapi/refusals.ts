import type { Behaviour } from "../../contract/behaviour.ts";
import type { Operation } from "../../contract/operations.ts";
import { reference, type Schema } from "./schemas.ts";

const why = "Why it was refused.";
const message: Schema = { type: "string", description: why, examples: ["The request is invalid"] };
const isRefused: Schema = { const: false, description: "False: the request was refused." };

const errors: Schema = {
  type: "object",
  description: "What is wrong with each invalid field, by its name.",
  additionalProperties: { type: "array", items: { type: "string" } },
  examples: [{ name: ["is required"] }],
};

/** The fields of a refused request by `error_body`: ruling 2. All but `errors` are required. */
const forms: Readonly<Record<Behaviour["error_body"], Readonly<Record<string, Schema>>>> = {
  envelope: {
    status: isRefused,
    message,
    data: { type: "null", description: "A refused request returns no data." },
    errors,
  },
  message: { message },
  errors_by_field: { message, errors },
  error: { error: message },
  error_message: {
    error: {
      type: "object",
      description: why,
      properties: { message },
      required: ["message"],
      additionalProperties: false,
    },
  },
  problem: {
    type: { const: "about:blank", description: "The status says what kind of problem it is." },
    status: { type: "integer", description: "The HTTP status.", examples: [422] },
    detail: message,
    errors,
  },
};

/** Returns the schema of the body of a refused request. */
export function refusalSchema({ error_body, error_status }: Behaviour): Schema {
  const isAlways200 = error_status === "always_200";
  const properties = { ...forms[error_body], ...(isAlways200 ? { status: isRefused } : {}) };
  const description =
    error_body === "envelope" ? "The envelope of a refused request." : "A refused request.";
  return {
    type: "object",
    description,
    properties,
    required: Object.keys(properties).filter((name) => name !== "errors"),
    additionalProperties: false,
  };
}

/** The headers of every response. */
export const responseHeaders = { "X-Request-Id": reference("headers", "RequestId") };

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
};

/** Returns why the service may refuse an operation: rulings 2 and 3. */
function reasonsOf({ path, query, body, resource }: Operation, behaviour: Behaviour) {
  const isPastRefused = behaviour.past_the_end === "refused" && query !== undefined;
  const isUnique = resource === "group" ? behaviour.group_name_unique : body === "create";
  const hasBody = body !== undefined;
  const reasons: readonly [status: number, isPossible: boolean, description: string][] = [
    [behaviour.no_key_status, true, "The request has no key."],
    [behaviour.unknown_key_status, true, "The service has not issued the key."],
    [400, true, "The path is not percent-encoded correctly, or the body is not valid JSON."],
    [413, hasBody, "The body is longer than 64 KiB."],
    [415, hasBody, "The body is not declared as JSON."],
    [429, true, "The key has exceeded its rate limit."],
    [500, true, "A defect of the service."],
    [503, true, "The database is busy, or the service is shutting down. Nothing was changed."],
    [behaviour.not_found_status, path.includes("{"), "The integration has no such record."],
    [behaviour.not_found_status, isPastRefused, "The integration has no such page."],
    [
      behaviour.taken_status,
      hasBody && isUnique,
      "The integration already has a record with this name.",
    ],
    [
      behaviour.invalid_status,
      hasBody || query !== undefined,
      "Fields of the body or parameters of the query are invalid.",
    ],
  ];
  // A service that refuses with 200 describes that together with its successes.
  const lowest = behaviour.error_status === "always_200" ? 500 : 0;
  return reasons.filter(([status, isPossible]) => isPossible && status >= lowest);
}

/** Returns the refusals that an operation can meet, by status. Those with the same status share a response. */
export function refusalsOf(operation: Operation, behaviour: Behaviour): Record<string, Schema> {
  const type = behaviour.error_body === "problem" ? "application/problem+json" : "application/json";
  const content = { [type]: { schema: reference("schemas", "Refusal") } };
  const texts: Record<string, string> = {};
  for (const [status, , text] of reasonsOf(operation, behaviour)) {
    texts[status] = texts[status] === undefined ? text : `${texts[status]} Or: ${text}`;
  }
  return Object.fromEntries(
    Object.entries(texts).map(([status, description]) => {
      const headers = { ...(status === "429" ? retryAfter : {}), ...responseHeaders };
      return [status, { description, headers, content }];
    }),
  );
}
