import { ownBehaviour } from "../../contract/behaviour.ts";
import { type Operation, type OperationName, operations } from "../../contract/operations.ts";
import { type Fields, namesOf, pageFields, resources } from "../../contract/resources.ts";
import { firstPage } from "../../engine/rules/rulings.ts";
import {
  type Schema,
  object,
  reference,
  resourceSchemas,
  schemaNames,
  shownFields,
} from "./schemas.ts";

function examplesOf(fields: Readonly<Record<string, { readonly example: unknown }>>): Schema {
  return Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));
}

/** No example has null in it: older linters can't read that. */
function exampleOf({ resource, returns, message }: Operation): Schema {
  if (returns === "nothing") return {};
  const isListed = returns === "page";
  const record = examplesOf(shownFields(resource, isListed));
  const data = isListed ? { data: [record], ...examplesOf(pageFields) } : record;
  return { example: { status: true, message, data } };
}

function bodyOf({ resource, body }: Operation): Schema {
  if (body === undefined) return {};
  const fields: Fields = resources[resource];
  const names = namesOf(fields, (field) => field[body] !== undefined);
  const example = Object.fromEntries(names.map((name) => [name, fields[name]!.example]));
  const schema = reference("schemas", schemaNames[resource][body]);
  return { requestBody: { required: true, content: { "application/json": { schema, example } } } };
}

/** Returns the response of a success: ruling 1. */
function successOf(operation: Operation): Record<string, Schema> {
  const { message: description, status, resource, returns } = operation;
  const schema = object({
    status: { const: true, description: "True: the request succeeded." },
    message: { const: description, description: "What was done." },
    data:
      returns === "nothing"
        ? { type: "null", description: "A delete returns no data." }
        : reference("schemas", schemaNames[resource][returns]),
  });
  return {
    [status]: {
      description,
      headers: responseHeaders,
      content: { "application/json": { schema, ...exampleOf(operation) } },
    },
  };
}

function operationObject(name: OperationName, operation: Operation): Schema {
  const { resource, returns, path, query = [] } = operation;
  const verb = name.slice(name.indexOf(".") + 1);
  const isMany = returns === "page";
  const record = resource === "group" ? "group" : "sender ID";
  const summary = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${isMany ? `${record}s` : `a ${record}`}`;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!);
  const parameters = [...inPath, ...query].map((parameter) => reference("parameters", parameter));
  return {
    operationId: `${verb}${schemaNames[resource].record}${isMany ? "s" : ""}`,
    tags: [tags[resource].name],
    summary,
    description: operationTexts[name],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation),
    responses: { ...successOf(operation), ...refusalsOf(operation) },
  };
}

function pathParameter(name: string, description: string, example: string): Schema {
  return { name, in: "path", required: true, description, schema: { type: "string" }, example };
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

/** The headers of every response. */
const responseHeaders = { "X-Request-Id": reference("headers", "RequestId") };

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
function refusalsOf(operation: Operation): Record<string, Schema> {
  const content = { "application/json": { schema: reference("schemas", "Refusal") } };
  return Object.fromEntries(
    reasonsOf(operation).map(([status, , description]) => {
      const headers = { ...(status === 429 ? retryAfter : {}), ...responseHeaders };
      return [status, { description, headers, content }];
    }),
  );
}

const { per_page_default: pageSize, per_page_max: maxPageSize } = ownBehaviour;

/** The parameters under `components`, by name: rulings 18 to 20. */
const parameters: Record<string, Schema> = {
  name: pathParameter("name", "The name of the sender ID, percent-encoded.", "ACME"),
  id: pathParameter("id", "The id of the group in decimal, or its uuid.", "1"),
  perPage: {
    name: "perPage",
    in: "query",
    description: "The number of records on a page.",
    schema: { type: "integer", minimum: 1, maximum: maxPageSize, default: pageSize },
    example: pageSize,
  },
  page: {
    name: "page",
    in: "query",
    description: "The number of the page, counted from 1. A page past the end has no records.",
    schema: { type: "integer", minimum: firstPage, default: firstPage },
    example: firstPage,
  },
};

/** Names a request; a header under `components`. */
const requestIdHeader = {
  description:
    "Identifies the request in the server's log. A client may send its own: 1 to 128 letters, digits and `._~:+/=-`. The server replaces any other id.",
  schema: { type: "string", minLength: 1, maxLength: 128 },
  example: "2l9gq7yqof-1",
};

/**
 * Returns the interface of the service as an OpenAPI 3.1 document, derived from the tables of operations and
 * fields: specification, parts 1 to 5, and the rulings.
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
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "The integration's secret key: `Authorization: Bearer KEY`.",
        },
      },
      schemas: { ...resourceSchemas(), Refusal: refusalSchema },
      parameters,
      headers: { RequestId: requestIdHeader },
    },
  };
}

/** What the OpenAPI document says in words: it is a document for people as well as for generators. */

const introduction = [
  "Manages the sender IDs and groups of an integration of a bulk-SMS platform.",
  "",
  "Every response is an envelope: `status` is true for success, `message` is a short text, and `data` is the record, a page of records, or null. A refused request has `status` false, no data and, for invalid fields, `errors` with a list of texts for each field.",
  "",
  "This document describes the local engine of sendctl. Limits, defaults and error statuses are its own wherever the specification of the service leaves them open; another service may differ, and so does the engine with `serve --behaviour`.",
].join("\n");

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
