import { operations, type Operation, type OperationName } from "../contract/operations.ts";
import type { InjectedFault } from "../contract/injected-fault.ts";
import type { Reply, Service } from "../contract/service.ts";
import { routeOf } from "./routes.ts";

/** A request to a service, as it came: nothing of it is trusted. */
export interface ServedRequest {
  readonly method: string;
  /** Percent-encoded, with its query. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** An injected fault that a request has met. */
export interface AppliedFault {
  readonly fault: InjectedFault;
  /** For the log: `status=503 (1 of 2)`. */
  readonly text: string;
}

export interface ServedResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the request led to one. */
  readonly operation?: OperationName;
  /** What goes wrong with it on purpose. */
  readonly met?: AppliedFault;
}

/** An error body: ruling 2. */
export function refusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): ServedResponse {
  const text = JSON.stringify({ status: false, message, data: null });
  return headers === undefined ? { status, text } : { status, text, headers };
}

/** What is told without a key. */
export interface Outside {
  /** Rejected when the database can't be used. */
  readonly checkHealth: () => Promise<void>;
  /** JSON text. */
  readonly openApi: () => Promise<string>;
}

/** Ruling 26: whether a path leads to the service at all. */
export function isOfService(pathname: string): boolean {
  return pathname.startsWith("/v1/");
}

/** Answers what needs no key: ruling 26. */
export async function answerOutside(
  method: string,
  pathname: string,
  { checkHealth, openApi }: Outside,
): Promise<ServedResponse> {
  const isKnown = pathname === "/healthz" || pathname === "/openapi.json";
  if (!isKnown) return refusal(404, "There is no such path");
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method !== "GET" && method !== "HEAD") {
    return refusal(405, `The path does not take ${method}`, headers);
  }
  if (pathname === "/openapi.json") return { status: 200, text: await openApi() };
  await checkHealth();
  return { status: 200, text: JSON.stringify({ status: true, message: "Healthy", data: null }) };
}

/** Ruling 3. */
export function refuseLongBody(): ServedResponse {
  return refusal(413, "The body is longer than 64 KiB");
}

/** Answers a request to `/v1` with a service: specification, part 4, and ruling 3. */
export async function answer(service: Service, request: ServedRequest): Promise<ServedResponse> {
  const [pathname, query] = splitTarget(request.target);
  const routed = routeOf(request.method, pathname);
  if ("status" in routed) {
    if (routed.status === 400) return refusal(400, "The path is not percent-encoded UTF-8");
    if (routed.status !== 405) return refusal(404, "There is no such path");
    const headers = { Allow: routed.allow.join(", ") };
    if (request.method === "OPTIONS") return { status: 204, text: "", headers };
    return refusal(405, `The path does not take ${request.method}`, headers);
  }
  const operation: Operation = operations[routed.name];
  const body = operation.body === undefined ? undefined : readBody(request);
  if (body !== undefined && "status" in body) return { ...body, operation: routed.name };
  const input = {
    path: routed.path,
    ...(operation.query === undefined ? {} : { query: readQuery(operation.query, query) }),
    ...(body === undefined ? {} : { body: body.value }),
  };
  const operate = service[routed.name] as (input: unknown) => Promise<Reply>;
  const { status, text } = await operate(input);
  return { status, text, operation: routed.name };
}

export function splitTarget(target: string): [pathname: string, query: string] {
  const mark = target.indexOf("?");
  return mark < 0 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** A parameter that is given twice is not one that the engine could take. */
function readQuery(names: readonly string[], query: string): Record<string, string> {
  if (query === "") return {};
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    names.flatMap((name) => (given.has(name) ? [[name, given.getAll(name).join(",")]] : [])),
  );
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function readBody({
  contentType,
  body,
}: ServedRequest): ServedResponse | { readonly value: unknown } {
  if (!/^application\/json\s*(?:;|$)/i.test(contentType?.trim() ?? "")) {
    return refusal(415, "The body must be JSON, sent as Content-Type: application/json");
  }
  try {
    return { value: JSON.parse(decoder.decode(body)) as unknown };
  } catch {
    return refusal(400, "The body is not well-formed JSON in UTF-8");
  }
}
