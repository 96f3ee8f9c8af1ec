import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createFailures, createRateLimit, failedResponse } from "./failures.ts";
import { respond } from "./operations.ts";
import { violationsOf } from "./protocol.ts";
import { createRecords, uuidOf, type Group, type Records, type SenderId } from "./records.ts";
import { Refused, refusalResponse } from "./refusals.ts";
import type { Response } from "./responses.ts";
import { plain, type Switches } from "./switches.ts";

/** A request and its outcome. */
export interface Handled {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string;
  /** Status of the response; 0 if the connection was closed without one. */
  readonly status: number;
  /** Whether records were created, changed or deleted. */
  readonly changed: boolean;
}

export interface Seed {
  readonly senderIds?: readonly (Partial<SenderId> & { readonly name: string })[];
  readonly groups?: readonly (Partial<Group> & { readonly name: string })[];
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
  const failureOf = createFailures(chosen);
  const limit = createRateLimit(chosen.rate, now);

  function respondTo(incoming: IncomingMessage, body: string): Response | undefined {
    const { headers, method = "", url = "" } = incoming;
    const limited = limit();
    if (limited !== undefined) {
      const response = refusalResponse({ kind: "rate", text: "Too Many Requests" }, chosen);
      // A rate limit has status 429 even if the service sends 200 for everything else.
      return { ...response, status: 429, headers: { ...response.headers, ...limited } };
    }
    if (chosen.redirectsBrowsers && headers.accept !== "application/json") {
      return { status: 302, headers: { Location: "/login" }, body: "<a href=/login>Log in</a>" };
    }
    const failure = failureOf(method);
    if (failure?.when === "before" || failure?.kind === "own refusal") {
      return failedResponse(failure, method === "POST" ? chosen.createStatus : 200);
    }
    const response = refusedOr(() => {
      if (headers.authorization !== `Bearer ${key}`) throw new Refused("key", "Unauthenticated.");
      if (isBodyOfAnotherType(incoming)) throw new Refused("media", "Unsupported media type.");
      return respond(records, { method, target: url, text: body }, chosen);
    });
    return failure === undefined ? response : failedResponse(failure, response.status);
  }

  function refusedOr(handler: () => Response): Response {
    try {
      return handler();
    } catch (error) {
      if (error instanceof Refused) return refusalResponse(error.refusal, chosen);
      throw error;
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers, method = "", url = "" } = incoming;
    const body = await text(incoming);
    const [path = ""] = url.split("?");
    violations.push(...violationsOf({ method, path, headers, text: body }));
    const before = [records.senderIds.rows, records.groups.rows];
    const response = respondTo(incoming, body);
    const changed = before[0] !== records.senderIds.rows || before[1] !== records.groups.rows;
    requests.push({ method, path: url, body, status: response?.status ?? 0, changed });
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
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    requests,
    violations,
    records,
    seed: (seed) => plant(records, seed),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const firstCreated = Date.UTC(2026, 0, 31, 8);

function isBodyOfAnotherType({ method = "", headers }: IncomingMessage): boolean {
  const type = headers["content-type"]?.split(";")[0]?.trim();
  return ["POST", "PUT"].includes(method) && type !== "application/json";
}

/** Adds records that are older than any request, at intervals of a second. */
function plant({ senderIds, groups }: Records, seed: Seed): void {
  for (const [index, row] of (seed.senderIds ?? []).entries()) {
    senderIds.add((id) => ({
      purpose: "Order updates",
      status: "PENDING",
      ...row,
      id,
      created: firstCreated + index * 1000,
    }));
  }
  const usual = { send_birthday: false, send_holiday: null, birthday_message: null };
  for (const [index, row] of (seed.groups ?? []).entries()) {
    const rest = { ...usual, sender_id: null, contacts: 0, ...row };
    groups.add((id) => ({ ...rest, id, uuid: uuidOf(id), created: firstCreated + index * 1000 }));
  }
  senderIds.settle();
  groups.settle();
}
