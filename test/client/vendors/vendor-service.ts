import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { respond } from "./operations.ts";
import { violationsOf } from "./protocol.ts";
import { createRecords, plant, type Records, type Seed } from "./records.ts";
import {
  failedResponse,
  limitHeaders,
  Refusal,
  refusalResponse,
  type Response,
} from "./responses.ts";
import { plain, type Failure, type Switches } from "./switches.ts";

/** A request and its outcome. */
export interface Handled {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string;
  /** Status of the response; 0 if the connection was closed without one. */
  readonly status: number;
}

export interface Vendor {
  readonly baseUrl: string;
  readonly key: string;
  /** In the order of their responses. */
  readonly requests: readonly Handled[];
  /** Violations of the specification by requests. */
  readonly violations: readonly string[];
  readonly records: Records;
  /** Stores records unchanged, without a request. */
  readonly seed: (seed: Seed) => void;
  /** Called when a request has been received, and again when its response is ready. */
  tap: (moment: "received" | "ready", nth: number) => void;
  readonly close: () => Promise<void>;
}

interface VendorOptions {
  readonly key?: string;
  /** Milliseconds since 1970, for created_at, the header Date and the rate limit. */
  readonly now?: () => number;
}

/**
 * Starts a service in this process that follows the specification and, where that is silent, the switches. It is
 * written from the specification, and shares no code with the engine.
 */
export async function startVendor(
  switches: Partial<Switches> = {},
  { key = "sk_vendor", now = Date.now }: VendorOptions = {},
): Promise<Vendor> {
  const chosen: Switches = { ...plain, ...switches };
  const records = createRecords(chosen, now);
  const requests: Handled[] = [];
  const violations: string[] = [];
  let arrived = 0;
  const failureOf = createFailures(chosen);
  const limit = createRateLimit(chosen, now);

  function respondTo(incoming: IncomingMessage, body: string): Response | undefined {
    const { headers, method = "", url = "" } = incoming;
    const limited = limit();
    if (limited !== undefined) return limited;
    if (chosen.redirectsBrowsers && headers.accept !== "application/json") {
      return { status: 302, headers: { Location: "/login" }, body: "<a href=/login>Log in</a>" };
    }
    const failure = failureOf(method);
    if (failure?.when === "before" || failure?.kind === "own refusal") {
      return failedResponse(failure, method === "POST" ? chosen.createStatus : 200);
    }
    const response = refusedOr(() => {
      if (headers.authorization !== `Bearer ${key}`) throw new Refusal("key", "Unauthenticated.");
      if (isBodyOfAnotherType(incoming)) throw new Refusal("media", "Unsupported media type.");
      return respond(records, { method, target: url, text: body }, chosen);
    });
    return failure === undefined ? response : failedResponse(failure, response.status);
  }

  function refusedOr(handler: () => Response): Response {
    try {
      return handler();
    } catch (error) {
      if (error instanceof Refusal) return refusalResponse(error, chosen);
      throw error;
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers, method = "", url = "" } = incoming;
    const body = await text(incoming);
    const [path = ""] = url.split("?");
    violations.push(...violationsOf({ method, path, headers, text: body }));
    const nth = (arrived += 1);
    vendor.tap("received", nth);
    const response = respondTo(incoming, body);
    requests.push({ method, path: url, body, status: response?.status ?? 0 });
    vendor.tap("ready", nth);
    if (response === undefined) return void incoming.socket.destroy();
    outgoing.setHeader("Date", new Date(now()).toUTCString());
    outgoing.writeHead(response.status, response.headers).end(response.body);
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const vendor: Vendor = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    requests,
    violations,
    records,
    seed: (seed) => plant(records, seed),
    tap: () => {},
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return vendor;
}

function isBodyOfAnotherType({ method = "", headers }: IncomingMessage): boolean {
  const type = headers["content-type"]?.split(";")[0]?.trim();
  return ["POST", "PUT"].includes(method) && type !== "application/json";
}

/** Returns a function that counts requests and returns the failure that is due for each. */
function createFailures({ failures }: Switches): (method: string) => Failure | undefined {
  const counts = failures.map(() => 0);
  return (method) => {
    let due: Failure | undefined;
    const kinds = new Set([method, "all", method === "GET" ? "GET" : "writes"]);
    for (const [index, failure] of failures.entries()) {
      if (!kinds.has(failure.on)) continue;
      const count = (counts[index]! += 1);
      if (count === failure.nth || (failure.repeats && count % failure.nth === 0)) due ??= failure;
    }
    return due;
  };
}

/** Returns a function that counts a request, and returns a response if it is over the limit. */
function createRateLimit(switches: Switches, now: () => number): () => Response | undefined {
  const { rate } = switches;
  let windowStart = -Infinity;
  let count = 0;
  return () => {
    if (rate === undefined) return undefined;
    if (now() >= windowStart + rate.window) {
      windowStart = now();
      count = 0;
    }
    count += 1;
    if (count <= rate.requests) return undefined;
    const { headers, body } = refusalResponse(new Refusal("rate", "Too Many Requests"), switches);
    const limited = limitHeaders(rate, windowStart + rate.window, now());
    // A rate limit has status 429 even if the service sends 200 for everything else.
    return { status: rate.status ?? 429, headers: { ...headers, ...limited }, body };
  };
}
