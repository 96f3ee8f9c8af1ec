import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { files, pageHeaders, type Inspect } from "../inspect/inspect.ts";
import { headersOf, readBody, splitTarget } from "../http.ts";
import { listen } from "../server.ts";
import { invalid, type Control } from "./control.ts";
import type { RecordedRequest } from "./recording.ts";

/** The listener through which a test suite in any language controls a service. */
export type ControlListener = Awaited<ReturnType<typeof startControlListener>>;

/** Whatever address the service listens on. */
const host = "127.0.0.1";

/** More than the workers of any test suite. Incomplete requests are closed after some seconds. */
const maxConnections = 1000;

const httpOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
};

/** Bytes that a page may leave unread. */
const maxUnreadEvents = 16 * 1024 * 1024;

/** A response; JSON unless it has a type. */
interface Response {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** What a call is about: its body, and the integration that its query names. */
interface CallInput {
  readonly body: unknown;
  readonly integration: string | undefined;
}

/**
 * The calls by method and name. What one returns is the body of the response; undefined for none.
 * It throws SendctlError "usage".
 */
type Calls = Readonly<Record<string, (input: CallInput) => unknown>>;

function callsOf(control: Control, inspect?: Inspect, stop?: () => void): Calls {
  return {
    "POST reset": ({ body = {} }) => control.reset(objectOf(body)),
    "GET requests": ({ integration }) => control.requests(integration),
    "DELETE requests": ({ integration }) => control.clear(integration),
    "GET faults": ({ integration }) => control.faultTexts(integration),
    "PUT faults": ({ body, integration }) => control.faults(body, integration),
    "DELETE faults": ({ integration }) => control.faults([], integration),
    "POST review": ({ body }) => control.review(objectOf(body)),
    "POST integrations": ({ body }) => control.integration(objectOf(body)),
    // After the response is sent.
    ...(stop && { "GET health": () => {}, "POST stop": () => void setImmediate(stop) }),
    ...(inspect && {
      "GET state": inspect.state,
      "GET sender-ids": inspect.senderIds,
      "GET groups": inspect.groups,
    }),
  };
}

/**
 * Starts the listener on a free port of this machine. It refuses foreign hosts (a name that was
 * bound to 127.0.0.1), requests of web pages, and every other path, before it reads a body.
 *
 * @param defect receives unexpected errors
 * @param inspect serves the page for people, too; only that page may then call, by its origin
 * @param stop ends the service of a `local start`
 */
export async function startControlListener(
  control: Control,
  defect: (error: unknown) => void,
  inspect?: Inspect,
  stop?: () => void,
) {
  const calls = callsOf(control, inspect, stop);
  const secret = randomBytes(32).toString("base64url");
  let hosts: readonly string[] = [];

  const responseTo = async (request: IncomingMessage): Promise<Response | "events"> => {
    const [given = "", ...otherHosts] = headersOf(request, "host");
    if (otherHosts.length > 0 || !hosts.includes(given)) return refused(403, "foreign Host header");
    const [origin] = headersOf(request, "origin");
    const isOwnPage = inspect !== undefined && origin === `http://${given}`;
    if (origin !== undefined && !isOwnPage) return refused(403, "web pages are refused");
    const [pathname, query] = splitTarget(request.url ?? "");
    const [, path = "", name, ...others] = pathname.split("/");
    if (!isSecret(path, secret) || name === undefined || others.length > 0) {
      return refused(404, "unknown path");
    }
    const { method = "" } = request;
    if (inspect !== undefined && method === "GET" && query === "") {
      if (name === "events") return "events";
      if (Object.hasOwn(files, name)) return { status: 200, ...files[name]! };
    }
    const call = calls[`${method} ${name}`];
    if (call === undefined) {
      const ending = ` ${name}`;
      const isKnown = Object.keys(calls).some((known) => known.endsWith(ending));
      return isKnown ? refused(405, `${method} is not allowed here`) : refused(404, "unknown path");
    }
    const body = await readBody(request, { isBroken: false });
    if (body === "too long") return refused(413, "the body is longer than 64 KiB");
    if (body === "disconnected") return refused(503, "the body was not received");
    try {
      const integration = integrationIn(query, name);
      if (integration !== undefined) await control.checkIntegration(integration);
      const text = JSON.stringify(await call({ body: parsed(body), integration })) ?? "";
      return { status: text === "" ? 204 : 200, text };
    } catch (error) {
      if (!(error instanceof SendctlError)) throw error;
      const { kind, message, hint, field } = error;
      // Another process may hold a lock of the database, or have removed it.
      return refused(kind === "usage" ? 400 : 503, message, field, hint);
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const result = await responseTo(request).catch((error: unknown) => {
      defect(error);
      return refused(500, "internal error");
    });
    if (result === "events") return sendEvents(control, response);
    const { status, type = "application/json", text } = result;
    response.writeHead(status, {
      ...(inspect && pageHeaders),
      ...(request.complete ? {} : { Connection: "close" }),
      ...(text === "" ? {} : { "Content-Type": type, "Content-Length": Buffer.byteLength(text) }),
    });
    response.end(text);
  };

  const server = createServer(httpOptions, (request, response) => void handle(request, response));
  server.maxConnections = maxConnections;
  // A client that closes its sending side gets its response.
  Object.assign(server, { httpAllowHalfOpen: true });
  await listen(server, { host, port: 0 });
  const { port } = server.address() as AddressInfo;
  hosts = [`${host}:${port}`, `localhost:${port}`];
  return {
    /** `http://127.0.0.1:40123/…`, with a secret path. A caller with it may do everything. */
    url: `http://${host}:${port}/${secret}`,
    /** Closes all connections at once. */
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
    if (request.ms === null) return;
    waiting.push(request);
    timer ??= setTimeout(send, 50);
  });
  response.once("close", () => {
    unfollow();
    clearTimeout(timer);
  });
}

function refused(status: number, message: string, field?: string, hint?: string): Response {
  const error = { message, field: field ?? null, hint: hint ?? null };
  return { status, text: JSON.stringify({ error }) };
}

/** Compares in a time that does not depend on where the texts differ. */
function isSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the integration in a call's query. @throws SendctlError "usage" for another query */
function integrationIn(query: string, call: string): string | undefined {
  const [[name, value] = [], ...others] = new URLSearchParams(query);
  if (name === undefined) return undefined;
  if (call !== "requests" && call !== "faults") {
    const hint = "reset and review take integration in the body, requests and faults in the query";
    throw invalid(name, `${call} takes no parameters`, hint);
  }
  if (name === "integration" && others.length === 0) return value;
  throw invalid(name, `${call} takes only integration, once`);
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
