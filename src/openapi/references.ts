import type { Schema } from "./field-schema.ts";

/** Returns a reference to a schema, response, parameter or header under `components`. */
export function reference(
  kind: "schemas" | "responses" | "parameters" | "headers",
  name: string,
): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The header of every response. */
export const responseHeaders = { "X-Request-Id": reference("headers", "RequestId") };

/** Returns the schema of an object that has all of these fields and no others. */
export function object(properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
