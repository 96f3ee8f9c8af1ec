import { operations, type Operation } from "../contract/operations.ts";

type Schema = Readonly<Record<string, unknown>>;

const nullable = (type: string): Schema => ({ type: [type, "null"] });
const timestamp: Schema = {
  type: "string",
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`,
  examples: ["2026-01-31T08:00:00.000000Z"],
};

/** Records: specification, part 2. */
const senderId = object({
  id: { type: "integer" },
  name: { type: "string" },
  purpose: { type: "string" },
  status: { type: "string" },
  created_at: timestamp,
});

const groupMembers = {
  id: { type: "integer" },
  uuid: { type: "string", format: "uuid" },
  name: { type: "string" },
  send_birthday: { type: "boolean" },
  send_holiday: nullable("boolean"),
  birthday_message: nullable("string"),
} satisfies Record<string, Schema>;

const group = object({ ...groupMembers, created_at: timestamp });
const listedGroup = object({
  ...groupMembers,
  contacts_count: { type: "integer", minimum: 0 },
  created_at: timestamp,
});

/** Members that the service promises, and no others: they are all there. */
function object(properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function page(items: Schema): Schema {
  return object({
    data: { type: "array", items },
    current_page: { type: "integer", minimum: 1 },
    last_page: { type: "integer", minimum: 1 },
    per_page: { type: "integer", minimum: 0 },
    total: { type: "integer", minimum: 0 },
  });
}

function dataOf(name: string): Schema {
  const isSenderId = name.startsWith("sender-id.");
  if (name.endsWith(".delete")) return { type: "null" };
  if (name.endsWith(".list")) return page(isSenderId ? senderId : listedGroup);
  return isSenderId ? senderId : group;
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

/** Ruling 4: members that a create can't do without, wherever it takes them. */
const needed: ReadonlySet<string> = new Set(["name", "purpose"]);

function bodyOf({ body, method }: Operation): Schema {
  if (body === undefined) return {};
  const properties = Object.fromEntries(
    Object.entries(body).map(([name, type]) => [name, fieldOf(name, type, method)]),
  );
  // Ruling 4: an update needs nothing, a create what it can't do without.
  const required = Object.keys(body).filter((name) => method === "POST" && needed.has(name));
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { requestBody: { required: true, content: json(schema) } };
}

/** Rulings 8 and 13: what null clears. */
function fieldOf(name: string, type: string, method: string): Schema {
  const clears =
    name === "birthday_message" ||
    (method === "PUT" && (name === "send_holiday" || name === "sender_id"));
  return clears ? nullable(type) : { type };
}

function operationOf(name: string, operation: Operation): Schema {
  const envelope = object({
    status: { const: true },
    message: { const: operation.message },
    data: dataOf(name),
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

/** The interface as OpenAPI 3.1, made from the table of operations; JSON text. */
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
