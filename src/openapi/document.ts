import { operations, type Operation, type OperationName } from "../contract/operations.ts";
import { namesOf, resources, type Fields } from "../contract/resources.ts";
import { perPage, firstPage } from "../engine/rulings.ts";
import {
  fieldTexts,
  introduction,
  operationTexts,
  pageTexts,
  parameterTexts,
  tags,
  title,
} from "./descriptions.ts";
import { refusalResponses, refusalsOf } from "./refusals.ts";
import { componentSchemas, object, reference, schemaNames, type Schema } from "./schemas.ts";

/** A server that the document names. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

/** Where a document that `serve` serves is from: its own address. */
export const thisServer: DocumentServer = { url: "/", description: "This server" };

/** Where `sendctl serve` listens by default. */
export const localServer: DocumentServer = {
  url: "http://127.0.0.1:4117",
  description: "`sendctl serve` on this machine",
};

function dataSchema({ resource, returns }: Operation): Schema {
  if (returns === "nothing") return { type: "null", description: "A delete returns no data." };
  return reference("schemas", schemaNames[resource][returns]);
}

function exampleRecord(resource: Operation["resource"], names: readonly string[]): Schema {
  const texts: Readonly<Record<string, { readonly example: unknown }>> = fieldTexts[resource];
  return Object.fromEntries(names.map((name) => [name, texts[name]!.example]));
}

/** No example has null in it: older linters can't read that. */
function exampleOf(operation: Operation): Schema {
  const { returns, message } = operation;
  if (returns === "nothing") return {};
  return { example: { status: true, message, data: exampleData(operation) } };
}

function exampleData({ resource, returns }: Operation): Schema {
  const fields: Fields = resources[resource];
  const isListed = returns === "page";
  const names = namesOf(
    fields,
    ({ shown }) => shown === undefined || (isListed && shown === "lists"),
  );
  const record = exampleRecord(resource, names);
  if (!isListed) return record;
  const page = Object.entries(pageTexts).map(([name, { example }]) => [name, example]);
  return { data: [record], ...(Object.fromEntries(page) as Schema) };
}

function parametersOf({ path, query = [] }: Operation): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return [...inPath, ...query].map((name) => reference("parameters", name));
}

function bodyOf({ resource, body }: Operation): Schema {
  if (body === undefined) return {};
  const fields: Fields = resources[resource];
  const example = exampleRecord(
    resource,
    namesOf(fields, (field) => field[body] !== undefined),
  );
  const schema = reference("schemas", schemaNames[resource][body]);
  return { requestBody: { required: true, content: { "application/json": { schema, example } } } };
}

function operationObject(name: OperationName, operation: Operation): Schema {
  const { id, summary, description } = operationTexts[name];
  const { resource, status, message } = operation;
  const schema = object({
    status: { const: true, description: "True: the request succeeded." },
    message: { const: message, description: "What was done." },
    data: dataSchema(operation),
  });
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tags[resource].name],
    summary,
    description,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation),
    responses: {
      [status]: {
        description: message,
        content: { "application/json": { schema, ...exampleOf(operation) } },
      },
      ...refusalsOf(operation),
    },
  };
}

function parameters(): Record<string, Schema> {
  const { name, id, perPage: size, page } = parameterTexts;
  const inPath = (of: string, { description, example }: typeof name | typeof id): Schema => ({
    name: of,
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
    example,
  });
  const { least, most } = perPage;
  return {
    name: inPath("name", name),
    id: inPath("id", id),
    perPage: {
      name: "perPage",
      in: "query",
      description: size,
      schema: { type: "integer", minimum: least, maximum: most, default: perPage.default },
      example: perPage.default,
    },
    page: {
      name: "page",
      in: "query",
      description: page,
      schema: { type: "integer", minimum: firstPage, default: firstPage },
      example: firstPage,
    },
  };
}

/**
 * Returns the interface of the service as an OpenAPI 3.1 document, derived from the tables of operations and
 * fields: specification, parts 1 to 5, and the rulings.
 *
 * @param servers where the service can be reached
 */
export function openApiDocument(...servers: readonly DocumentServer[]): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = operationObject(name, operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title,
      version: "1",
      description: introduction,
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
      schemas: componentSchemas(),
      parameters: parameters(),
      responses: refusalResponses(),
    },
  };
}
