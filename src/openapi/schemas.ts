import { operations, type Operation } from "../contract/operations.ts";
import {
  namesOf,
  pageFields,
  resources,
  type Field,
  type Fields,
  type JsonField,
  type TextRulingNumber,
} from "../contract/resources.ts";
import { reviewStatuses, textRulings } from "../engine/rulings.ts";
import { fieldTexts, pageTexts } from "./descriptions.ts";

export type Schema = Readonly<Record<string, unknown>>;

type Resource = keyof typeof resources;
type Texts = Readonly<Record<string, { readonly description: string; readonly example: unknown }>>;

/** The names of the schemas of a resource under `components`. */
export const schemaNames = {
  "sender-id": {
    record: "SenderId",
    listed: "SenderId",
    page: "SenderIdPage",
    create: "NewSenderId",
    update: "SenderIdUpdate",
  },
  group: {
    record: "Group",
    listed: "ListedGroup",
    page: "GroupPage",
    create: "NewGroup",
    update: "GroupUpdate",
  },
} as const;

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

function schemaOf(field: JsonField): Schema {
  const schema = types[field.type];
  const minimum = field.least === undefined ? {} : { minimum: field.least };
  if (field.null === undefined) return { ...schema, ...minimum };
  return { ...schema, type: [schema["type"], "null"] };
}

/** The limits of a text in a request body: rulings 5 to 8. A stored text may be older than they are. */
function lengths({ ruling }: Field): Schema {
  if (ruling === undefined) return {};
  const { least, most } = textRulings[ruling as TextRulingNumber];
  return { minLength: least, maxLength: most };
}

function described(schema: Schema, name: string, texts: Texts): Schema {
  const { description, example } = texts[name]!;
  return { ...schema, description, examples: [example] };
}

function recordSchema(resource: Resource, isListed: boolean): Schema {
  const fields: Fields = resources[resource];
  const names = namesOf(
    fields,
    ({ shown }) => shown === undefined || (isListed && shown === "lists"),
  );
  const entries = names.map((name) => [
    name,
    described(schemaOf(fields[name]!), name, fieldTexts[resource]),
  ]);
  return object(Object.fromEntries(entries) as Record<string, Schema>);
}

function pageSchema(resource: Resource): Schema {
  const items = reference("schemas", schemaNames[resource].listed);
  const entries = Object.entries(pageFields).map(([name, field]) => [
    name,
    described(schemaOf(field), name, pageTexts),
  ]);
  const data = { type: "array", items, description: "The records of the page, newest first." };
  return object({ data, ...(Object.fromEntries(entries) as Record<string, Schema>) });
}

/** The body of a create or an update: rulings 4 and 11. */
function bodySchema(resource: Resource, by: "create" | "update"): Schema {
  const fields: Fields = resources[resource];
  const names = namesOf(fields, (field) => field[by] !== undefined);
  const entries = names.map((name) => {
    const field = fields[name]!;
    return [name, described({ ...schemaOf(field), ...lengths(field) }, name, fieldTexts[resource])];
  });
  const required = namesOf(fields, (field) => field[by] === "required");
  return {
    type: "object",
    properties: Object.fromEntries(entries) as Record<string, Schema>,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** A refused request: ruling 2. */
const refusalSchema: Schema = {
  type: "object",
  description: "The envelope of a refused request.",
  properties: {
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
  },
  required: ["status", "message", "data"],
  additionalProperties: false,
};

/** Returns every schema under `components`, by name. */
export function componentSchemas(): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const { resource, body, returns } of Object.values(operations) as Operation[]) {
    const names = schemaNames[resource];
    if (body !== undefined) schemas[names[body]] = bodySchema(resource, body);
    if (returns === "record") schemas[names.record] = recordSchema(resource, false);
    if (returns === "page") {
      schemas[names.listed] = recordSchema(resource, true);
      schemas[names.page] = pageSchema(resource);
    }
  }
  return { ...schemas, Refusal: refusalSchema };
}
