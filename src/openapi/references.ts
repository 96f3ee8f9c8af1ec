import type { Schema } from "./field-schema.ts";

/** Returns a reference to a schema, response or parameter under `components`. */
export function reference(kind: "schemas" | "responses" | "parameters", name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns the schema of an object that has all of these fields and no others. */
export function object(properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
