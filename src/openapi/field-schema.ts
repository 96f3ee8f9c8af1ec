import { type JsonField, type resources } from "../contract/resources.ts";
import { reviewStatuses } from "../engine/rulings.ts";

export type Schema = Readonly<Record<string, unknown>>;

export type Resource = keyof typeof resources;
type Texts = Readonly<Record<string, { readonly description: string; readonly example: unknown }>>;

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
export function described(schema: Schema, name: string, texts: Texts): Schema {
  const { description, example } = texts[name]!;
  return { ...schema, description, examples: [example] };
}
