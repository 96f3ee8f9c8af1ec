import type { IncomingHttpHeaders } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Passed } from "../../contract/relay.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

/** What of an exchange the document does not allow. */
interface Violations {
  readonly request: readonly string[];
  readonly response: readonly string[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns a function that checks a request and its response against an OpenAPI document alone. */
export function exchangeChecker(document: Json): (exchange: Passed) => Violations {
  const { components, paths } = document as { components: Json; paths: Json };
  // Parameters and headers are text, whatever their type.
  const ajv = new Ajv2020({ strict: false, formats: { uuid } });
  const ajvOfText = new Ajv2020({ strict: false, coerceTypes: true });
  const compiled = new Map<Json, ValidateFunction>();

  const resolved = (object: Json): Json => {
    const reference = object["$ref"] as string | undefined;
    if (reference === undefined) return object;
    return reference
      .split("/")
      .slice(1)
      .reduce((parent, key) => parent[key] as Json, document);
  };
  const invalid = (schema: Json, value: unknown, by = ajv): string[] => {
    const validate = compiled.get(schema) ?? by.compile({ ...schema, components });
    compiled.set(schema, validate);
    return validate(value) ? [] : validate.errors!.map((error) => JSON.stringify(error));
  };
  const invalidBody = (content: Json, headers: IncomingHttpHeaders, text: string): string[] => {
    const type = headers["content-type"] ?? "none";
    const media = content[type.replace(/;.*/, "")] as Json | undefined;
    if (media === undefined || text === "") return [`content type ${type}`];
    return invalid(media["schema"] as Json, JSON.parse(text));
  };
  const invalidParameters = (declared: readonly Json[], given: object): string[] => {
    const known = new Map(declared.map(resolved).map(({ name, schema }) => [name, schema as Json]));
    return Object.entries(given).flatMap(([name, value]) => {
      const schema = known.get(name);
      return schema === undefined ? [name] : invalid(schema, value, ajvOfText);
    });
  };
  const invalidRequest = (operation: Json, path: object, { request }: Passed): string[] => {
    const query = Object.fromEntries(new URLSearchParams(request.url.split("?")[1]));
    const { parameters = [], requestBody } = operation as {
      parameters?: Json[];
      requestBody?: Json;
    };
    return [
      ...(/^Bearer \S+$/.test(request.headers.authorization ?? "") ? [] : ["authorization"]),
      ...invalidParameters(parameters, { ...path, ...query }),
      ...(requestBody === undefined
        ? [request.text].filter((text) => text !== "")
        : invalidBody(requestBody["content"] as Json, request.headers, request.text)),
    ];
  };
  const invalidResponse = (operation: Json, { status, headers, text }: Passed): string[] => {
    const declared = operation["responses"][status] as Json | undefined;
    if (declared === undefined) return [`status ${status}`];
    const response = resolved(declared);
    return [
      ...invalidBody(response["content"] as Json, headers, text),
      ...Object.entries((response["headers"] ?? {}) as Json).flatMap(([name, header]) =>
        invalid(resolved(header as Json)["schema"] as Json, headers[name.toLowerCase()], ajvOfText),
      ),
    ];
  };

  return (exchange) => {
    const { method, url } = exchange.request;
    for (const [path, item] of Object.entries(paths)) {
      const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/?]+)")}(?:\\?|$)`);
      const operation = item[method.toLowerCase()] as Json | undefined;
      const found = pattern.exec(url);
      if (found === null || operation === undefined) continue;
      return {
        request: invalidRequest(operation, { ...found.groups }, exchange),
        response: invalidResponse(operation, exchange),
      };
    }
    return { request: [`${method} ${url}`], response: [] };
  };
}
