import { SendctlError } from "../core/error.ts";
import { operations, type Operation, type OperationName } from "../contract/operations.ts";
import type { Failure } from "./request-log.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { RefusalCause, Refuse } from "../engine/rules/replies.ts";
import type { InjectedFault } from "./faults.ts";
import type { Reply, Service } from "../contract/service.ts";

/** An incoming request, not validated. */
export interface ServedRequest {
  readonly method: string;
  /** See `routeOf`. */
  readonly routed: Routed;
  /** The text after `?`; may be empty. */
  readonly query: string;
  readonly contentType: string | undefined;
  /** How the body is encoded, if that is more than its division into chunks: not decoded here. */
  readonly encoding?: string | undefined;
  readonly body: Uint8Array;
}

/** An injected fault that applies to a request. */
export interface AppliedFault {
  readonly fault: InjectedFault;
  /** For the log: `status=503 (1 of 2)`. */
  readonly text: string;
}

export interface ServedResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly appliedFault?: AppliedFault;
  /** Why the server refused a valid request. */
  readonly failure?: Failure | undefined;
  /** The same in words, for a problem of the database. */
  readonly problem?: string | undefined;
}

/** Returns an error response, in the form of the service: rulings 2 and 3. */
export function refusal(
  refuse: Refuse,
  cause: RefusalCause | number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): ServedResponse {
  const { status, body, headers: own } = refuse(cause, message);
  return { status, text: JSON.stringify(body), headers: { ...own, ...headers } };
}

/** Returns the response without a valid key. A 401 names the scheme: RFC 9110, part 11.6.1. */
export function unauthorized(refuse: Refuse, message: string): ServedResponse {
  const response = refusal(refuse, 401, message);
  if (response.status !== 401) return response;
  return { ...response, headers: { ...response.headers, "WWW-Authenticate": "Bearer" } };
}

/** Returns the response to an error, by its kind. An error of any other kind is a bug. */
export function errorResponse(error: unknown, refuse: Refuse): ServedResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const kind = known?.kind;
  const code = codeOf(known?.cause ?? error);
  if (kind === "auth") return unauthorized(refuse, "Invalid key");
  if (known?.kind === "database") {
    return {
      ...refusal(refuse, 503, "The database is temporarily unavailable", { "Retry-After": "1" }),
      failure: { cause: known.details.database ?? "database", code },
      problem: known.message,
    };
  }
  const cause = kind === "outcome_unknown" ? kind : "defect";
  const message = cause === "defect" ? "Internal server error" : "The outcome is unknown";
  return { ...refusal(refuse, 500, message), failure: { cause, code } };
}

/** Returns the SQLSTATE, the result code of SQLite, or the network or file system error code. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : undefined;
}

/** Returns whether a path belongs to the service: ruling 26. */
export function isServicePath(pathname: string): boolean {
  return pathname.startsWith("/v1/");
}

/** Returns the response to a body over 64 KiB: ruling 3. */
export function bodyTooLong(refuse: Refuse): ServedResponse {
  return refusal(refuse, 413, "The body is longer than 64 KiB");
}

const publicPaths = new Set(["/healthz", "/openapi.json"]);

/** Returns whether a path is that of an endpoint without a key. */
export function isPublicPath(pathname: string): boolean {
  return publicPaths.has(pathname);
}

/** Responds to requests that need no key: ruling 26. No behaviour changes their statuses. */
export async function dispatchPublic(
  method: string,
  pathname: string,
  { checkHealth, changed, refuse }: Pick<Embedded, "checkHealth" | "changed" | "refuse">,
): Promise<ServedResponse> {
  if (!isPublicPath(pathname)) return refusal(refuse, 404, "Unknown path");
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method !== "GET" && method !== "HEAD") {
    const refused = refusal(refuse, 405, `${method} is not allowed for this path`, headers);
    return { ...refused, status: 405 };
  }
  if (pathname === "/openapi.json") return { status: 200, text: await (document ??= openApi()) };
  await checkHealth();
  const data = Object.keys(changed).length === 0 ? null : { behaviour: changed };
  return { status: 200, text: JSON.stringify({ status: true, message: "Healthy", data }) };
}

/** The OpenAPI document, which is the same for every engine, once it was requested. */
let document: Promise<string> | undefined;

async function openApi(): Promise<string> {
  const { openApiDocument } = await import("./openapi.ts");
  return JSON.stringify(openApiDocument("/", "This server"));
}

/** Passes a request to `/v1` to the service (ruling 3). */
export async function dispatch(
  service: Service,
  request: ServedRequest,
  refuse: Refuse,
): Promise<ServedResponse> {
  const { method, routed, query } = request;
  if ("status" in routed) {
    if (routed.status === 400) return refusal(refuse, 400, "The path is not percent-encoded UTF-8");
    if (routed.status !== 405) return refusal(refuse, 404, "Unknown path");
    const headers = { Allow: routed.allow!.join(", ") };
    if (method === "OPTIONS") return { status: 204, text: "", headers };
    return refusal(refuse, 405, `${method} is not allowed for this path`, headers);
  }
  const operation: Operation = operations[routed.name];
  const body = operation.body === undefined ? undefined : parseBody(request, refuse);
  if (body !== undefined && "status" in body) return body;
  const input = {
    path: routed.path,
    query: operation.query && parseQuery([...operation.query, "cursor"], query),
    body: body?.value,
  };
  const operate = service[routed.name] as (input: unknown) => Promise<Reply>;
  const { status, text, headers } = await operate(input);
  return { status, text: status === 204 ? "" : text, headers };
}

/** Parses a query. Repeated parameters are joined with commas, which the engine rejects. */
function parseQuery(names: readonly string[], query: string): Record<string, string> {
  if (query === "") return {};
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    names.flatMap((name) => (given.has(name) ? [[name, given.getAll(name).join(",")]] : [])),
  );
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function parseBody(
  { contentType, encoding, body }: ServedRequest,
  refuse: Refuse,
): ServedResponse | { readonly value: unknown } {
  if (encoding !== undefined) {
    return refusal(refuse, 415, "The body must be sent without an encoding such as gzip");
  }
  if (!/^application\/json\s*(?:;|$)/i.test(contentType?.trim() ?? "")) {
    return refusal(refuse, 415, "The Content-Type must be application/json");
  }
  try {
    return { value: JSON.parse(decoder.decode(body)) as unknown };
  } catch {
    return refusal(refuse, 400, "The body is not valid JSON in UTF-8");
  }
}

/** The result of routing: an operation and its path parameter, or an error and a 405's methods. */
type Routed =
  | { readonly name: OperationName; readonly path: Readonly<Record<string, string>> }
  | { readonly status: 400 | 404 | 405; readonly allow?: readonly string[] };

/** The operations on one path. */
interface Route {
  /** By method. */
  readonly names: Map<string, OperationName>;
  /** The parameter, which is the last segment of the path. */
  readonly parameter: string | undefined;
}

/** Routes by path; those with a parameter by what precedes it, which ends with a slash. */
const routes = new Map<string, Route>();

for (const [name, { method, path }] of Object.entries(operations) as [OperationName, Operation][]) {
  const [start, parameter] = path.split(/\{(\w+)\}$/) as [string, string?];
  const names = routes.get(start)?.names ?? new Map<string, OperationName>();
  routes.set(start, { names: names.set(method, name), parameter });
}

/**
 * Routes a request.
 *
 * @param method as sent; HEAD is routed as GET
 * @param pathname as sent: percent-encoded, without the query
 */
export function routeOf(method: string, pathname: string): Routed {
  const start = pathname.lastIndexOf("/") + 1;
  if (start === pathname.length) return { status: 404 };
  const fixed = routes.get(pathname);
  if (fixed !== undefined) return byMethod(fixed, method, {});
  const route = routes.get(pathname.slice(0, start));
  if (route?.parameter === undefined) return { status: 404 };
  try {
    const value = decodeURIComponent(pathname.slice(start));
    return byMethod(route, method, { [route.parameter]: value });
  } catch {
    return { status: 400 };
  }
}

function byMethod(
  { names }: Route,
  method: string,
  path: Readonly<Record<string, string>>,
): Routed {
  const name = names.get(method === "HEAD" ? "GET" : method);
  if (name !== undefined) return { name, path };
  const head = names.has("GET") ? ["HEAD"] : [];
  return { status: 405, allow: [...names.keys(), ...head, "OPTIONS"] };
}
