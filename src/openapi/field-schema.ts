import { type JsonField, type resources } from "../contract/resources.ts";
import { reviewStatuses } from "../engine/rulings.ts";

export type Schema = Readonly<Record<string, unknown>>;

export type Resource = keyof typeof resources;

const types: Readonly<Record<JsonField["type"], Schema>> = {
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  text: { type: "string" },
  status: { type: "string", enum: reviewStatuses },
  uuid: { type: "string", format: "uuid" },
  timestamp: {
    type: "string",
    pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`,
  },
};

/** Returns the schema of a field's JSON value. */
export function schemaOf(field: JsonField): Schema {
  const schema = types[field.type];
  const minimum = field.minimum === undefined ? {} : { minimum: field.minimum };
  if (field.null === undefined) return { ...schema, ...minimum };
  return { ...schema, type: [schema["type"], "null"] };
}

/** Adds a field's description and example to its schema. */
export function described(schema: Schema, { about, null: meaning, example }: JsonField): Schema {
  const description = meaning === undefined ? `${about}.` : `${about}; null for ${meaning}.`;
  return { ...schema, description, examples: [example] };
}

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
