import { operations, type Operation } from "../contract/operations.ts";
import {
  namesOf,
  pageFields,
  resources,
  type Fields,
  type JsonField,
} from "../contract/resources.ts";

type Schema = Readonly<Record<string, unknown>>;

const schemas: Readonly<Record<JsonField["type"], Schema>> = {
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  text: { type: "string" },
  status: { type: "string" },
  uuid: { type: "string", format: "uuid" },
  timestamp: {
    type: "string",
    pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`,
    examples: ["2026-01-31T08:00:00.000000Z"],
  },
};

function schemaOf(field: JsonField): Schema {
  const schema = schemas[field.type];
  if (field.null !== undefined) return { ...schema, type: [schema["type"], "null"] };
  return field.minimum === undefined ? schema : { ...schema, minimum: field.minimum };
}

function propertiesOf(
  fields: Readonly<Record<string, JsonField>>,
  names: readonly string[],
): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, schemaOf(fields[name]!)]));
}

function record(fields: Fields, isListed: boolean): Schema {
  const isShown = ({ shown }: JsonField): boolean =>
    shown === undefined || (isListed && shown === "lists");
  return object(propertiesOf(fields, namesOf(fields, isShown)));
}

/** The fields that the service promises, all of them and no others. */
function object(properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function dataOf({ resource, returns }: Operation): Schema {
  const fields: Fields = resources[resource];
  if (returns === "nothing") return { type: "null" };
  if (returns === "record") return record(fields, false);
  return object({
    data: { type: "array", items: record(fields, true) },
    ...propertiesOf(pageFields, Object.keys(pageFields)),
  });
}

/** Ruling 2. */
const refusalSchema: Schema = {
  type: "object",
  properties: {
    status: { const: false },
    message: { type: "string" },
    data: { type: "null" },
    errors: {
      type: "object",
      additionalProperties: { type: "array", items: { type: "string" } },
    },
  },
  required: ["status", "message", "data"],
  additionalProperties: false,
};

function json(schema: Schema): Schema {
  return { "application/json": { schema } };
}

function parametersOf({ path, query = [] }: Operation): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const schema = { type: "integer", minimum: 1 };
  const inQuery = query.map((name) => ({ name, in: "query", schema }));
  return [...inPath, ...inQuery];
}

/** Rulings 4 and 11. */
function bodyOf({ resource, body: by }: Operation): Schema {
  if (by === undefined) return {};
  const fields: Fields = resources[resource];
  const properties = propertiesOf(
    fields,
    namesOf(fields, (field) => field[by] !== undefined),
  );
  const required = namesOf(fields, (field) => field[by] === "required");
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { requestBody: { required: true, content: json(schema) } };
}

function operationOf(name: string, operation: Operation): Schema {
  const envelope = object({
    status: { const: true },
    message: { const: operation.message },
    data: dataOf(operation),
  });
  return {
    operationId: name,
    summary: operation.message,
    parameters: parametersOf(operation),
    ...bodyOf(operation),
    responses: {
      [operation.status]: { description: operation.message, content: json(envelope) },
      default: { description: "Refused", content: json(refusalSchema) },
    },
  };
}

/** Returns the interface as OpenAPI 3.1, made from the tables of operations and fields; JSON text. */
export function openApi(): string {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, operation] of Object.entries(operations) as [string, Operation][]) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = operationOf(name, operation);
  }
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Sender IDs and groups", version: "1" },
    security: [{ key: [] }],
    paths,
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  });
}
