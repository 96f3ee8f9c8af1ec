import type { Operation } from "../../contract/operations.ts";
import { object, reference, type Schema } from "./schemas.ts";

/** The body of a refused request: ruling 2. */
export const refusalSchema: Schema = {
  ...object({
    status: { const: false, description: "False: the request was refused." },
    message: {
      type: "string",
      description: "Why it was refused.",
      examples: ["The request is invalid"],
    },
    data: { type: "null", description: "A refused request returns no data." },
    errors: {
      type: "object",
      description: "What is wrong with each invalid field, by its name.",
      additionalProperties: { type: "array", items: { type: "string" } },
      examples: [{ name: ["is required"] }],
    },
  }),
  description: "The envelope of a refused request.",
  required: ["status", "message", "data"],
};

/** The headers of every response. */
export const responseHeaders = { "X-Request-Id": reference("headers", "RequestId") };

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
};

/** Returns why the service may refuse an operation: ruling 3. */
function reasonsOf({ path, query, body, resource }: Operation) {
  const hasBody = body !== undefined;
  const isUnique = resource === "sender-id" && body === "create";
  const reasons: readonly [status: number, isPossible: boolean, description: string][] = [
    [401, true, "The request has no key, or one that the service has not issued."],
    [400, true, "The path is not percent-encoded correctly, or the body is not valid JSON."],
    [413, hasBody, "The body is longer than 64 KiB."],
    [415, hasBody, "The body is not declared as JSON."],
    [429, true, "The key has exceeded its rate limit."],
    [500, true, "A defect of the service."],
    [503, true, "The database is busy, or the service is shutting down. Nothing was changed."],
    [404, path.includes("{"), "The integration has no such record."],
    [409, isUnique, "The integration already has a record with this name."],
    [
      422,
      hasBody || query !== undefined,
      "Fields of the body or parameters of the query are invalid.",
    ],
  ];
  return reasons.filter(([, isPossible]) => isPossible);
}

/** Returns the refusals that an operation can meet, by status. */
export function refusalsOf(operation: Operation): Record<string, Schema> {
  const content = { "application/json": { schema: reference("schemas", "Refusal") } };
  return Object.fromEntries(
    reasonsOf(operation).map(([status, , description]) => {
      const headers = { ...(status === 429 ? retryAfter : {}), ...responseHeaders };
      return [status, { description, headers, content }];
    }),
  );
}
