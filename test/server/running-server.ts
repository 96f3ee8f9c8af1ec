import { mkdtemp } from "node:fs/promises";
import { request as httpRequest, type Agent, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openEmbedded, type Embedded } from "../../src/engine/embedded.ts";
import type { PartialBehaviour } from "../../src/contract/behaviour.ts";
import type { InjectedFault } from "../../src/server/faults.ts";
import type { Service } from "../../src/contract/service.ts";
import type { RequestLogEntry } from "../../src/server/request-log.ts";
import { lockTimeout as defaultLockTimeout, startServing } from "../../src/server/serve.ts";
import { deleteFolder, quickFolder } from "../support/quick-folder.ts";

export interface Running {
  readonly file: string;
  readonly port: number;
  /** A key of the default integration. */
  readonly key: string;
  readonly engine: Embedded;
  /** Lines printed for the operator; empty unless there is a defect. */
  readonly complaints: readonly string[];
  readonly served: readonly RequestLogEntry[];
  readonly abort: () => void;
  readonly stop: () => Promise<void>;
}

/** Replaces operations of the service that every key selects. */
export function withOperations(
  change: (service: Service) => Partial<Service>,
): (engine: Embedded) => Embedded {
  return (engine) => ({
    ...engine,
    callerOf: async (key) => {
      const caller = await engine.callerOf(key);
      if (caller === undefined) return undefined;
      return { ...caller, service: { ...caller.service, ...change(caller.service) } };
    },
  });
}

interface Starting {
  readonly rateLimit?: number;
  /** How long to wait for a lock, in milliseconds. */
  readonly lockTimeout?: number;
  readonly faults?: readonly InjectedFault[];
  readonly behaviour?: PartialBehaviour;
  /** Microseconds. */
  readonly now?: () => number;
  /** Milliseconds (default: derived from `now`). */
  readonly elapsed?: () => number;
  /** Replaces parts of the engine. */
  readonly engine?: (engine: Embedded) => Embedded;
}

/** Starts a server with its own port and database for the running test. */
export async function startRunning(starting: Starting = {}): Promise<Running> {
  const {
    rateLimit,
    lockTimeout = defaultLockTimeout,
    faults = [],
    behaviour,
    now = () => Date.now() * 1000,
    elapsed = () => now() / 1000,
    engine: changed = (same) => same,
  } = starting;
  const folder = await mkdtemp(join(quickFolder, "sendctl-server-"));
  const file = join(folder, "sendctl.db");
  const engine = openEmbedded(file, now, { timeout: lockTimeout, behaviour });
  const complaints: string[] = [];
  const served: RequestLogEntry[] = [];
  const serving = await startServing(
    changed(engine),
    {
      host: "127.0.0.1",
      port: 0,
      rateLimit,
      faults,
      served: (one) => void served.push(one),
    },
    { elapsed, printError: async (line) => void complaints.push(line) },
  );
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= serving.stop());
  onTestFinished(async () => {
    serving.abort();
    await stop();
    await engine.close();
    deleteFolder(folder);
  });
  return {
    file,
    port: serving.port,
    key: await newKey(engine),
    engine,
    complaints,
    served,
    abort: serving.abort,
    stop,
  };
}

export async function newKey({ administration }: Embedded, integration = "default") {
  const created = await administration.createKey(integration);
  return (created.envelope!.data as { readonly secret_key: string }).secret_key;
}

export interface SendOptions {
  /** Undefined for the server's key, null for none. */
  readonly key?: string | null;
  /** Sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown;
  /** Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly agent?: Agent;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function bytesOf(body: unknown): string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Sends one request with node:http, which does not normalise paths. */
export function send(
  running: Pick<Running, "port" | "key">,
  method: string,
  path: string,
  { key = running.key, body, headers = {}, agent }: SendOptions = {},
): Promise<ReceivedResponse> {
  const given = {
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const sent = Object.entries(given).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const sending = httpRequest({
      host: "127.0.0.1",
      port: running.port,
      method,
      path,
      agent: agent ?? false,
      headers: Object.fromEntries(sent),
    });
    sending.once("error", reject);
    sending.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    sending.end(body === undefined ? undefined : bytesOf(body));
  });
}

/** Expects an error response: ruling 2. */
export function expectRefusal(
  { status, headers, text }: ReceivedResponse,
  expected: number,
  what = "",
): void {
  expect([what, status, headers["content-type"]]).toEqual([what, expected, "application/json"]);
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toMatchObject({ status: false, data: null });
  expect(body["message"]).toMatch(/^[A-Z]/);
  // No fields other than the ruling's, and `errors` only for invalid fields.
  const fields = status === 422 ? ["data", "errors", "message", "status"] : undefined;
  expect(Object.keys(body).toSorted()).toEqual(fields ?? ["data", "message", "status"]);
}

/** Returns the names of all groups, newest first. */
export async function groupNames(running: Pick<Running, "port" | "key">): Promise<string[]> {
  const { status, text } = await send(running, "GET", "/v1/group?perPage=1000");
  expect(status).toBe(200);
  const { data } = JSON.parse(text) as { data: { data: { name: string }[] } };
  return data.data.map(({ name }) => name);
}
