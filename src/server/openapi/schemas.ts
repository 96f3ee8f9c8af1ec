import { operations, type Operation } from "../../contract/operations.ts";
import {
  namesOf,
  pageFields,
  resources,
  type Field,
  type Fields,
  type JsonField,
  type TextRulingNumber,
} from "../../contract/resources.ts";
import { reviewStatuses, textRulings } from "../../engine/rules/rulings.ts";

export type Schema = Readonly<Record<string, unknown>>;

type Resource = keyof typeof resources;

/** The names of the schemas of a resource under `components`. */
export const schemaNames = {
  "sender-id": namesFor("SenderId", "SenderId"),
  group: namesFor("Group", "ListedGroup"),
};

function namesFor(record: string, listed: string) {
  const [page, create, update] = [`${record}Page`, `New${record}`, `${record}Update`];
  return { record, listed, page, create, update };
}

/** Returns a reference to a schema, parameter or header under `components`. */
export function reference(kind: "schemas" | "parameters" | "headers", name: string): Schema {
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
function schemaOf(field: JsonField): Schema {
  const schema = types[field.type];
  const minimum = field.minimum === undefined ? {} : { minimum: field.minimum };
  if (field.null === undefined) return { ...schema, ...minimum };
  return { ...schema, type: [schema["type"], "null"] };
}

/** Adds a field's description and example to its schema. */
function described(schema: Schema, { about, null: meaning, example }: JsonField): Schema {
  const description = meaning === undefined ? `${about}.` : `${about}; null for ${meaning}.`;
  return { ...schema, description, examples: [example] };
}

/** Returns the schemas of fields, by name. */
function properties(fields: Readonly<Record<string, JsonField>>): Record<string, Schema> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, described(schemaOf(field), field)]),
  );
}

/** Returns the fields of a record that responses show. */
export function shownFields(resource: Resource, isListed: boolean): Fields {
  const fields: Fields = resources[resource];
  const names = namesOf(
    fields,
    ({ shown }) => shown === undefined || (isListed && shown === "lists"),
  );
  return Object.fromEntries(names.map((name) => [name, fields[name]!]));
}

/** Returns the schemas of records, pages and bodies under `components`, by name. */
export function resourceSchemas(): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const { resource, body, returns } of Object.values(operations) as Operation[]) {
    const names = schemaNames[resource];
    if (body !== undefined) schemas[names[body]] = bodySchema(resource, body);
    if (returns === "record")
      schemas[names.record] = object(properties(shownFields(resource, false)));
    if (returns === "page") {
      schemas[names.listed] = object(properties(shownFields(resource, true)));
      const items = reference("schemas", names.listed);
      const data = { type: "array", items, description: "The records of the page, newest first." };
      schemas[names.page] = object({ data, ...properties(pageFields) });
    }
  }
  return schemas;
}

/** What a sender_id is: ruling 14. */
const senderIdText =
  "The sender ID under which the group's messages are sent, by name or by id in decimal; null for none. No response returns it.";

/** Returns the schema of the body of a create or an update: rulings 4, 10, 11 and 13. */
function bodySchema(resource: Resource, by: "create" | "update"): Schema {
  const fields: Fields = resources[resource];
  const names = namesOf(fields, (field) => field[by] !== undefined);
  const entries = names.map((name) => {
    const field = fields[name]!;
    const schema = described(sentSchema(field), field);
    return [name, field.refersTo === undefined ? schema : { ...schema, description: senderIdText }];
  });
  const required = namesOf(fields, (field) => field[by] === "required");
  return {
    type: "object",
    properties: Object.fromEntries(entries) as Record<string, Schema>,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of the values of a field in a request: rulings 5 to 8 and 12. */
function sentSchema(field: Field): Schema {
  const schema = schemaOf(field);
  // A stored text may be older than the limits, so responses have none.
  const limits = field.ruling && textRulings[field.ruling as TextRulingNumber];
  return limits ? { ...schema, minLength: limits.min, maxLength: limits.max } : schema;
}
