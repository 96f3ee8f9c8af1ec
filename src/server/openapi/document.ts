import { type Behaviour, ownBehaviour, switches } from "../../contract/behaviour.ts";
import { type Operation, type OperationName, operations } from "../../contract/operations.ts";
import { type Fields, namesOf, pageFields, resources } from "../../contract/resources.ts";
import { firstPage } from "../../engine/rules/rulings.ts";
import { refusalSchema, refusalsOf, responseHeaders } from "./refusals.ts";
import {
  type Schema,
  object,
  reference,
  resourceSchemas,
  schemaNames,
  shownFields,
} from "./schemas.ts";

/** A server that the document names. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

/** Where a document that `serve` serves is from: its own address. */
export const thisServer: DocumentServer = { url: "/", description: "This server" };

/** Where `sendctl serve` listens by default. */
export const localServer: DocumentServer = {
  url: "http://127.0.0.1:4010",
  description: "`sendctl serve` on this machine",
};

function dataSchema({ resource, returns }: Operation): Schema {
  if (returns === "nothing") return { type: "null", description: "A delete returns no data." };
  return reference("schemas", schemaNames[resource][returns]);
}

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

function parametersOf({ path, query = [] }: Operation, behaviour: Behaviour): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const known = query.filter((name) => name !== "page" || behaviour.page_parameter === "honoured");
  return [...inPath, ...known].map((name) => reference("parameters", name));
}

function bodyOf({ resource, body }: Operation): Schema {
  if (body === undefined) return {};
  const fields: Fields = resources[resource];
  const names = namesOf(fields, (field) => field[body] !== undefined);
  const example = Object.fromEntries(names.map((name) => [name, fields[name]!.example]));
  const schema = reference("schemas", schemaNames[resource][body]);
  return { requestBody: { required: true, content: { "application/json": { schema, example } } } };
}

/** Returns the response of a success: ruling 1. If refusals have its status, it can be one of them. */
function successOf(operation: Operation, behaviour: Behaviour): Record<string, Schema> {
  const { message: description, body, returns, status: own } = operation;
  const { create_status, delete_status, error_status } = behaviour;
  const status = body === "create" ? create_status : returns === "nothing" ? delete_status : own;
  if (status === 204) return { [status]: { description, headers: responseHeaders } };
  const success = object({
    status: { const: true, description: "True: the request succeeded." },
    message: { const: description, description: "What was done." },
    data: dataSchema(operation),
  });
  const mayBeRefused = error_status === "always_200";
  const either = { anyOf: [success, reference("schemas", "Refusal")] };
  const schema = mayBeRefused && status === 200 ? either : success;
  return {
    [status]: {
      description,
      headers: responseHeaders,
      content: { "application/json": { schema, ...exampleOf(operation) } },
    },
    ...(mayBeRefused && status !== 200 ? refusedWith200 : {}),
  };
}

/** The refusals of an operation whose success has another status than 200. */
const refusedWith200 = {
  200: {
    description: "The request was refused.",
    headers: responseHeaders,
    content: { "application/json": { schema: reference("schemas", "Refusal") } },
  },
};

function operationObject(name: OperationName, operation: Operation, behaviour: Behaviour): Schema {
  const { resource, returns } = operation;
  const verb = name.slice(name.indexOf(".") + 1);
  const isMany = returns === "page";
  const record = resource === "group" ? "group" : "sender ID";
  const summary = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${isMany ? `${record}s` : `a ${record}`}`;
  const parameters = parametersOf(operation, behaviour);
  return {
    operationId: `${verb}${schemaNames[resource].record}${isMany ? "s" : ""}`,
    tags: [tags[resource].name],
    summary,
    description: operationText(name, behaviour),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation),
    responses: { ...successOf(operation, behaviour), ...refusalsOf(operation, behaviour) },
  };
}

/** How a group is named in a path: ruling 19. */
const groupIds: Readonly<Record<Behaviour["group_lookup"], readonly [string, example: string]>> = {
  id_or_uuid: ["The id of the group in decimal, or its uuid.", "1"],
  id: ["The id of the group in decimal.", "1"],
  uuid: ["The uuid of the group.", "123e4567-e89b-12d3-a456-426614174000"],
};

/** What a page past the end is: ruling 20. */
const pastTheEnd: Readonly<Record<Behaviour["past_the_end"], string>> = {
  empty: "A page past the end has no records.",
  refused: "A page past the end is refused.",
  last: "For a page past the end, the last page is returned.",
};

function inPath(name: string, description: string, example: string): Schema {
  return { name, in: "path", required: true, description, schema: { type: "string" }, example };
}

/** Returns the parameters under `components`, by name. */
function parameters(behaviour: Behaviour): Record<string, Schema> {
  const { per_page_default, per_page_max, per_page_over_max, per_page_invalid } = behaviour;
  const perPage = {
    type: "integer",
    ...(per_page_invalid === "refused" ? { minimum: switches.per_page_default.min } : {}),
    ...(per_page_over_max === "refused" ? { maximum: per_page_max } : {}),
    default: per_page_default,
  };
  const page = {
    name: "page",
    in: "query",
    description: `The number of the page, counted from 1. ${pastTheEnd[behaviour.past_the_end]}`,
    schema: { type: "integer", minimum: firstPage, default: firstPage },
    example: firstPage,
  };
  return {
    name: inPath("name", "The name of the sender ID, percent-encoded.", "ACME"),
    id: inPath("id", ...groupIds[behaviour.group_lookup]),
    perPage: {
      name: "perPage",
      in: "query",
      description: "The number of records on a page.",
      schema: perPage,
      example: per_page_default,
    },
    ...(behaviour.page_parameter === "honoured" ? { page } : {}),
  };
}

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
 * @param servers where the service can be reached
 * @param behaviour what the service does where the specification is silent (default: the rulings)
 */
export function openApiDocument(
  servers: readonly DocumentServer[],
  behaviour: Behaviour = ownBehaviour,
): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = operationObject(name, operation, behaviour);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sender IDs and groups",
      version: "1",
      description: introduction(behaviour),
      contact: { name: "sendctl" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
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
      schemas: { ...resourceSchemas(behaviour), Refusal: refusalSchema(behaviour) },
      parameters: parameters(behaviour),
      headers: { RequestId: requestIdHeader },
    },
  };
}

/** What the OpenAPI document says in words: it is a document for people as well as for generators. */

/** Where refusals are described: ruling 2. */
const refusalTexts: Readonly<Record<Behaviour["error_body"], string>> = {
  envelope:
    "A refused request has `status` false, no data and, for invalid fields, `errors` with a list of texts for each field.",
  message: "The body of a refused request has a `message`.",
  errors_by_field:
    "The body of a refused request has a `message` and, for invalid fields, `errors` with a list of texts for each field.",
  error: "The body of a refused request has a text, `error`.",
  error_message: "The body of a refused request has an object, `error`, with a `message`.",
  problem: "A refused request returns problem details: RFC 9457.",
};

function introduction({ error_body, error_status }: Behaviour): string {
  const isEnvelope = error_body === "envelope";
  const subject = isEnvelope ? "Every response" : "The response of every successful request";
  const always = " The HTTP status of refused requests is 200, and `status` is false.";
  return [
    "Manages the sender IDs and groups of an integration of a bulk-SMS platform.",
    "",
    `${subject} is an envelope: \`status\` is true for success, \`message\` is a short text, and \`data\` is the record, a page of records, or null. ${refusalTexts[error_body]}${error_status === "always_200" ? always : ""}`,
    "",
    "This document describes the local engine of sendctl. Limits, defaults and error statuses are its own wherever the specification of the service leaves them open; another service may differ.",
  ].join("\n");
}

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

/** What the operations do. */
const operationTexts: Readonly<Record<OperationName, string>> = {
  "sender-id.create":
    "Creates a sender ID. A review has to approve it before messages can be sent under it.",
  "sender-id.list": "Returns a page of the integration's sender IDs, newest first.",
  "sender-id.fetch": "Returns the sender ID with a name. Names are compared exactly.",
  "sender-id.delete": "Deletes a sender ID. Groups that use it lose their sender ID.",
  "group.create": "Creates a group without contacts.",
  "group.list":
    "Returns a page of the integration's groups, newest first, each with its number of contacts.",
  "group.fetch": "Returns a group, without its number of contacts.",
  "group.update": "Changes the given fields of a group",
  "group.delete": "Deletes a group and its contacts.",
};

/** Returns what an operation of a service does: rulings 7 and 13. */
function operationText(
  name: OperationName,
  { group_name_unique, omitted_in_update }: Behaviour,
): string {
  const text = operationTexts[name];
  if (name === "group.create") {
    return `${text} ${group_name_unique ? "Its name must be unique." : "Names need not be unique."}`;
  }
  if (name !== "group.update") return text;
  return omitted_in_update === "kept"
    ? `${text}; the others keep their values.`
    : `${text}; the others, except the name, get the values of a new group.`;
}
