import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { headersOf, readBody, splitTarget } from "../request.ts";
import { listen } from "../server.ts";
import { files, pageHeaders, type Inspect } from "../inspect/inspect.ts";
import { invalid, type Control } from "./control.ts";
import type { RecordedRequest } from "./recording.ts";

/** The listener through which a test suite in any language controls a service. */
export type ControlListener = Awaited<ReturnType<typeof startControlListener>>;

/** Whatever address the service listens on. */
const host = "127.0.0.1";

/** Limits for the one client of this listener; times are in milliseconds. */
const limits = { headerBytes: 8 * 1024, connections: 50, request: 5_000, check: 1_000 } as const;

/** Bytes that a page may leave unread. */
const maxUnreadEvents = 16 * 1024 * 1024;

interface Response {
  readonly status: number;
  readonly body?: unknown;
  /** A file of the page. */
  readonly file?: (typeof files)[string];
  /** Whether the requests follow as events, until the connection is closed. */
  readonly isEvents?: boolean;
}

/** Carries out a call. @throws SendctlError "usage" with the field that is wrong */
type Call = (control: Control, given: CallInput) => unknown;

interface CallInput {
  readonly body: unknown;
  /** The integration that the query names. */
  readonly integration: string | undefined;
  readonly inspect: Inspect | undefined;
}

/** The calls by path and method. What they return is the body of the response; undefined for none. */
const calls: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  reset: { POST: (control, { body = {} }) => control.reset(objectOf(body)) },
  requests: {
    GET: (control, { integration }) => control.requests(integration),
    DELETE: (control, { integration }) => control.clear(integration),
  },
  faults: {
    GET: (control, { integration }) => control.faultTexts(integration),
    PUT: (control, { body, integration }) => control.faults(body, integration),
    DELETE: (control, { integration }) => control.faults([], integration),
  },
  review: { POST: (control, { body }) => control.review(objectOf(body)) },
  integrations: { POST: (control, { body }) => control.integration(objectOf(body)) },
};

/** The further calls of the page. */
const pageCalls: typeof calls = {
  ...calls,
  state: { GET: (_, { inspect }) => inspect!.state() },
  "sender-ids": { GET: (_, { inspect }) => inspect!.senderIds() },
  groups: { GET: (_, { inspect }) => inspect!.groups() },
};

/**
 * Starts the listener on a free port of this machine. It refuses foreign hosts (a name that was bound to 127.0.0.1),
 * requests of web pages, and every other path, before it reads a body.
 *
 * @param defect receives unexpected errors
 * @param inspect serves the page for people, too; only the page itself may then call, with its own origin
 */
export async function startControlListener(
  control: Control,
  defect: (error: unknown) => void,
  inspect?: Inspect,
) {
  const known = inspect === undefined ? calls : pageCalls;
  const secret = randomBytes(32).toString("base64url");
  let hosts: readonly string[] = [];

  async function responseTo(request: IncomingMessage): Promise<Response> {
    const given = headersOf(request, "host");
    if (given.length !== 1 || !hosts.includes(given[0]!))
      return refused(403, "foreign Host header");
    const origins = headersOf(request, "origin");
    const isOwnPage = inspect !== undefined && origins[0] === `http://${given[0]!}`;
    if (origins.length > 0 && !isOwnPage) return refused(403, "web pages are refused");
    const [pathname, query] = splitTarget(request.url ?? "");
    const [, path, name, ...others] = pathname.split("/");
    const isCall = others.length === 0 && name !== undefined;
    const isHere = isSecret(path ?? "", secret) && isCall;
    const { method = "" } = request;
    const isOfPage = inspect !== undefined && isHere && query === "";
    if (isOfPage && method === "GET" && Object.hasOwn(files, name)) {
      return { status: 200, file: files[name]! };
    }
    if (isOfPage && name === "events") return { status: 200, isEvents: true };
    if (!isHere || !Object.hasOwn(known, name)) return refused(404, "unknown path");
    const methods = known[name]!;
    if (!Object.hasOwn(methods, method)) {
      return refused(405, `use ${Object.keys(methods).join(" or ")}`);
    }
    const body = await readBody(request, { isBroken: false, abandonBody: undefined });
    if (body === "too long") return refused(413, "the body is longer than 64 KiB");
    if (typeof body === "string") return refused(503, "the body was not received");
    return carryOut(methods[method]!, control, name, query, body, inspect);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let result: Response;
    try {
      result = await responseTo(request);
    } catch (error) {
      defect(error);
      result = refused(500, "internal error");
    }
    if (result.isEvents === true) return sendEvents(control, response);
    const headers = {
      ...(inspect === undefined ? {} : pageHeaders),
      ...(request.complete ? {} : { Connection: "close" }),
    };
    write(response, result, headers);
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.request,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      insecureHTTPParser: false,
    },
    (request, response) => void handle(request, response),
  );
  server.maxConnections = limits.connections;
  await listen(server, { host, port: 0 });
  const { port } = server.address() as AddressInfo;
  hosts = [`${host}:${port}`, `localhost:${port}`];
  return {
    /** `http://127.0.0.1:40123/…`, with a path that nobody can guess. A caller that knows it may do everything. */
    url: `http://${host}:${port}/${secret}`,
    /** Closes all connections at once. */
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Carries out a call. @param name of the call, whose query and body were received */
async function carryOut(
  call: Call,
  control: Control,
  name: string,
  query: string,
  body: Uint8Array,
  inspect: Inspect | undefined,
): Promise<Response> {
  try {
    const integration = integrationIn(query, name);
    if (integration !== undefined) await control.checkIntegration(integration);
    const result = await call(control, { body: parsed(body), integration, inspect });
    return result === undefined ? { status: 204 } : { status: 200, body: result };
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const { kind, message, hint, field } = error;
    // Another process may hold a lock of the database, or have removed it.
    return refused(kind === "usage" ? 400 : 503, message, field, hint);
  }
}

/** Sends a response. @param further headers */
function write(
  response: ServerResponse,
  { status, file, body }: Response,
  further: Readonly<Record<string, string>>,
): void {
  const [type, text] = file ?? ["application/json", body === undefined ? "" : JSON.stringify(body)];
  response.writeHead(status, {
    ...further,
    ...(text === "" ? {} : { "Content-Type": type }),
    ...(status === 204 ? {} : { "Content-Length": Buffer.byteLength(text) }),
  });
  response.end(text);
}

/** Sends the requests as they are carried out: those of 50 ms at once. */
function sendEvents(control: Control, response: ServerResponse): void {
  response.writeHead(200, { ...pageHeaders, "Content-Type": "text/event-stream" });
  response.write("retry: 2000\n\n");
  let waiting: RecordedRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    timer = undefined;
    // A page that does not read asks again.
    if (response.writableLength > maxUnreadEvents) return void response.destroy();
    response.write(`data: ${JSON.stringify(waiting)}\n\n`);
    waiting = [];
  };
  const unfollow = control.follow((request) => {
    waiting.push(request);
    timer ??= setTimeout(send, 50);
  });
  response.once("close", () => {
    unfollow();
    clearTimeout(timer);
  });
}

function refused(status: number, message: string, field?: string, hint?: string): Response {
  return { status, body: { error: { message, field: field ?? null, hint: hint ?? null } } };
}

/** Compares in a time that does not depend on where the texts differ. */
function isSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the integration that the query of a call names. @throws SendctlError "usage" for another query */
function integrationIn(query: string, call: string): string | undefined {
  const given = [...new URLSearchParams(query)];
  const isQueried = call === "requests" || call === "faults";
  const [other] = given.find(([key]) => !isQueried || key !== "integration") ?? [];
  if (other !== undefined && isQueried) {
    throw invalid(other, `unknown parameter ${other}; use integration`);
  }
  if (other !== undefined) {
    const hint = "reset and review take integration in the body, requests and faults in the query";
    throw invalid(other, `${call} takes no parameters`, other === "integration" ? hint : undefined);
  }
  if (given.length > 1) throw invalid("integration", "integration is given more than once");
  return given[0]?.[1];
}

/** Parses a body; undefined for an empty one. @throws SendctlError "usage" */
function parsed(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw invalid("body", "the body must be JSON");
  }
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (isObject(body)) return body;
  throw invalid("body", "the body must be an object");
}
