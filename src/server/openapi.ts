import { ownBehaviour } from "../contract/behaviour.ts";
import { type Operation, type OperationName, operations } from "../contract/operations.ts";
import {
  type Field,
  type Fields,
  type JsonField,
  namesOf,
  pageFields,
  resources,
  type TextRulingNumber,
} from "../contract/resources.ts";
import { firstPage, reviewStatuses, textRulings } from "../engine/rules/rulings.ts";

type Schema = Readonly<Record<string, unknown>>;

type Resource = keyof typeof resources;

/** The words of the OpenAPI document: it is for people as well as for generators. */

const introduction = [
  "Manages the sender IDs and groups of an integration of a bulk-SMS platform.",
  "Every response is an envelope: `status` is true for success, `message` is a short text, and `data` is the record, a page of records, or null. A refused request has `status` false, no data and, for invalid fields, `errors` with a list of texts for each field.",
  "This document describes the local engine of sendctl. Limits, defaults and error statuses are its own wherever the specification of the service leaves them open; another service may differ, and so does the engine with `serve --behaviour`.",
].join("\n\n");

const tags = {
  "sender-id": {
    name: "Sender IDs",
    description:
      "Named sender identities. Each has a purpose and a review status: messages can be sent under an approved one.",
  },
  group: {
    name: "Groups",
    description: "Named collections of contacts, with settings for birthday and holiday messages.",
  },
} as const;

/** What the operations do: rulings 7 and 13. */
const operationTexts: Readonly<Record<OperationName, string>> = {
  "sender-id.create":
    "Creates a sender ID. A review has to approve it before messages can be sent under it.",
  "sender-id.list": "Returns a page of the integration's sender IDs, newest first.",
  "sender-id.fetch": "Returns the sender ID with a name. Names are compared exactly.",
  "sender-id.delete": "Deletes a sender ID. Groups that use it lose their sender ID.",
  "group.create": "Creates a group without contacts. Names need not be unique.",
  "group.list":
    "Returns a page of the integration's groups, newest first, each with its number of contacts.",
  "group.fetch": "Returns a group, without its number of contacts.",
  "group.update": "Changes the given fields of a group; the others keep their values.",
  "group.delete": "Deletes a group and its contacts.",
};

/** Why the service may refuse an operation, and which one: ruling 3. */
const refusals: readonly [number, string, isPossible?: (operation: Operation) => boolean][] = [
  [401, "The request has no key, or one that the service has not issued."],
  [400, "The path is not percent-encoded correctly, or the body is not valid JSON."],
  [413, "The body is longer than 64 KiB.", hasBody],
  [415, "The body is not declared as JSON.", hasBody],
  [429, "The key has exceeded its rate limit."],
  [500, "A defect of the service."],
  [503, "The database is busy, or the service is shutting down. Nothing was changed."],
  [404, "The integration has no such record.", ({ path }) => path.includes("{")],
  [
    409,
    "The integration already has a record with this name.",
    ({ body, resource }) => resource === "sender-id" && body === "create",
  ],
  [
    422,
    "Fields of the body or parameters of the query are invalid.",
    (operation) => hasBody(operation) || operation.query !== undefined,
  ],
];

function hasBody({ body }: Operation): boolean {
  return body !== undefined;
}

const types: Readonly<Record<JsonField["type"], Schema>> = {
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  text: { type: "string" },
  status: { type: "string", enum: reviewStatuses },
  uuid: { type: "string", format: "uuid" },
  timestamp: { type: "string", pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$` },
};

/** Returns a reference to a schema or parameter under `components`. */
function reference(kind: "schemas" | "parameters", name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns the schema of an object that has these fields and no others. */
function object(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)) {
  const all = required.length === 0 ? {} : { required };
  return { type: "object", properties, ...all, additionalProperties: false };
}

/** Returns the schema of a response field. A stored text may predate the limits: it has none. */
function shown({ type, minimum, null: meaning, about, example }: JsonField): Schema {
  return {
    ...types[type],
    ...(minimum !== undefined && { minimum }),
    ...(meaning !== undefined && { type: [types[type]["type"], "null"] }),
    description: meaning === undefined ? `${about}.` : `${about}; null for ${meaning}.`,
    examples: [example],
  };
}

/** Returns the schema of a field in a request: rulings 5 to 8 and 12. */
function sent(field: Field): Schema {
  const limits = field.ruling && textRulings[field.ruling as TextRulingNumber];
  return {
    ...shown(field),
    ...(limits && { minLength: limits.min, maxLength: limits.max }),
  };
}

/** Returns the schema of an object with the fields of a resource that a condition selects. */
function objectOf(
  resource: Resource,
  isMeant: (field: Field) => boolean,
  schemaOf: (field: Field) => Schema,
  isRequired: (field: Field) => boolean = () => true,
): Schema {
  const fields: Fields = resources[resource];
  const names = namesOf(fields, isMeant);
  const properties = Object.fromEntries(names.map((name) => [name, schemaOf(fields[name]!)]));
  return object(
    properties,
    names.filter((name) => isRequired(fields[name]!)),
  );
}

/** Returns the names of the schemas of a resource under `components`. */
function schemaNames(resource: Resource) {
  const record = resource === "group" ? "Group" : "SenderId";
  const listed = resource === "group" ? "ListedGroup" : record;
  return {
    record,
    listed,
    page: `${record}Page`,
    create: `New${record}`,
    update: `${record}Update`,
  };
}

/** Returns the schemas of records, pages and bodies, by name: rulings 4, 10, 11 and 13. */
function resourceSchemas(): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const { resource, body, returns } of Object.values(operations) as Operation[]) {
    const names = schemaNames(resource);
    if (body !== undefined) {
      const isRequired = (field: Field): boolean => field[body] === "required";
      const isSent = (field: Field): boolean => field[body] !== undefined;
      schemas[names[body]] = objectOf(resource, isSent, sent, isRequired);
    }
    if (returns === "record") {
      schemas[names.record] = objectOf(resource, (field) => field.shown === undefined, shown);
    }
    if (returns !== "page") continue;
    schemas[names.listed] = objectOf(resource, (field) => field.shown !== "never", shown);
    const items = reference("schemas", names.listed);
    const data = { type: "array", items, description: "The records of the page, newest first." };
    const counts = Object.entries<JsonField>(pageFields).map(([name, of]) => [name, shown(of)]);
    schemas[names.page] = object({ data, ...Object.fromEntries(counts) });
  }
  return schemas;
}

function contentOf(schemaName: string): Schema {
  return { "application/json": { schema: reference("schemas", schemaName) } };
}

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
};

/** Returns the response of a success: ruling 1. */
function successOf({ message, resource, returns }: Operation): Schema {
  const schema = object({
    status: { const: true, description: "True: the request succeeded." },
    message: { const: message, description: "What was done." },
    data:
      returns === "nothing"
        ? { type: "null", description: "A delete returns no data." }
        : reference("schemas", schemaNames(resource)[returns]),
  });
  const content = { "application/json": { schema } };
  return { description: message, content };
}

function operationObject(name: OperationName, operation: Operation): Schema {
  const { resource, returns, path, body, status: success, query = [] } = operation;
  const verb = name.slice(name.indexOf(".") + 1);
  const isMany = returns === "page";
  const record = resource === "group" ? "group" : "sender ID";
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!);
  const parameters = [...inPath, ...query].map((parameter) => reference("parameters", parameter));
  const content = contentOf("Refusal");
  const possible = refusals.filter(([, , isPossible]) => isPossible?.(operation) ?? true);
  const refused = possible.map(([status, description]) => {
    const headers = status === 429 && { headers: retryAfter };
    return [status, { description, ...headers, content }] as const;
  });
  return {
    operationId: `${verb}${schemaNames(resource).record}${isMany ? "s" : ""}`,
    tags: [tags[resource].name],
    summary: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${isMany ? `${record}s` : `a ${record}`}`,
    description: operationTexts[name],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: contentOf(schemaNames(resource)[body]) },
    }),
    responses: { [success]: successOf(operation), ...Object.fromEntries(refused) },
  };
}

/** The body of a refused request: ruling 2. */
const refusalSchema: Schema = {
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

/** Returns a parameter of the path, a text, or of the query, whose default is the example. */
function parameter(name: string, description: string, example: string | number, limits?: Schema) {
  const inPath = { in: "path", required: true, description, schema: { type: "string" } };
  const schema = { type: "integer", ...limits, default: example };
  return {
    name,
    ...(limits === undefined ? inPath : { in: "query", description, schema }),
    example,
  };
}

const { per_page_default: pageSize, per_page_max: maximum } = ownBehaviour;
const pageText = "The number of the page, counted from 1. A page past the end has no records.";

/** The parameters under `components`, by name: rulings 18 to 20. */
const parameters: Record<string, Schema> = {
  name: parameter("name", "The name of the sender ID, percent-encoded.", "ACME"),
  id: parameter("id", "The id of the group in decimal, or its uuid.", "1"),
  perPage: parameter("perPage", "The number of records on a page.", pageSize, {
    minimum: 1,
    maximum,
  }),
  page: parameter("page", pageText, firstPage, { minimum: firstPage }),
};

const key = {
  type: "http",
  scheme: "bearer",
  description: "The integration's secret key: `Authorization: Bearer KEY`.",
};

/**
 * Returns the interface of the service as an OpenAPI 3.1 document, derived from the tables of
 * operations and fields: the interface and the rulings of docs/behaviour.md.
 *
 * @param url where the service can be reached (default: where `sendctl serve` listens by default)
 * @param description of the server there
 */
export function openApiDocument(
  url = "http://127.0.0.1:4010",
  description = "`sendctl serve` on this machine",
): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = operationObject(name, operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sender IDs and groups",
      version: "1",
      description: introduction,
      contact: { name: "sendctl" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url, description }],
    tags: Object.values(tags),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key },
      schemas: { ...resourceSchemas(), Refusal: refusalSchema },
      parameters,
    },
  };
}
