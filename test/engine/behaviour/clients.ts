import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import type { Request } from "../../../src/contract/request.ts";
import type { Reply } from "../../../src/contract/service.ts";
import { respondInProcess, startServing } from "../../../src/server/serve.ts";
import type { Embedded } from "../../../src/engine/embedded.ts";
import { openRemote } from "../../../src/client/client.ts";
import { quickFolder } from "../../support/quick-folder.ts";
import { makeDatabase, openEmbeddedOn } from "../support/test-database.ts";

const elapsed = (): number => performance.now();

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

export interface Received {
  readonly status: number;
  readonly text: string;
  /** The parsed body; empty if there is none. */
  readonly json: Json;
  readonly isRefused: boolean;
}

/** Sends requests to a service with a behaviour. */
export interface Client {
  readonly send: (method: string, path: string, body?: unknown) => Promise<Received>;
  /** Undefined in process, where no request has a key. */
  readonly server: { readonly port: number; readonly key: string } | undefined;
  /** Lines for the operator: defects. */
  readonly complaints: readonly string[];
  readonly engine: Embedded;
  /** Called at the end of the test, unless it was called before. */
  readonly close: () => Promise<void>;
}

function received({ status, text }: Pick<Reply, "status" | "text">): Received {
  const json = text === "" ? {} : (JSON.parse(text) as Json);
  return { status, text, json, isRefused: status >= 400 || json["status"] === false };
}

function requestOf(method: string, path: string, body: unknown): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method, path, body: body === undefined ? undefined : text };
}

interface Opened {
  readonly engine: Embedded;
  readonly closers: (() => unknown)[];
  readonly close: () => Promise<void>;
}

async function openEngine(behaviour: PartialBehaviour): Promise<Opened> {
  const folder = await mkdtemp(join(quickFolder, "sendctl-behaviour-"));
  const database = await makeDatabase(folder);
  const engine = await openEmbeddedOn(database, () => Date.now() * 1000, behaviour);
  const remove = () => rm(folder, { recursive: true, force: true });
  const closers: (() => unknown)[] = [remove, database.close, engine.close];
  const close = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  onTestFinished(close);
  return { engine, closers, close };
}

/** Opens the engine in this process, on a new database. */
export async function inProcess(behaviour: PartialBehaviour): Promise<Client> {
  const { engine, close } = await openEngine(behaviour);
  const service = await engine.service(undefined);
  return {
    send: async (method, path, body) =>
      received(await respondInProcess(engine, service, requestOf(method, path, body))),
    server: undefined,
    complaints: [],
    engine,
    close,
  };
}

/** Opens the remote client, HTTP, a server and the engine behind it, on a new database. */
export async function overHttp(behaviour: PartialBehaviour): Promise<Client> {
  const { engine, closers, close } = await openEngine(behaviour);
  const complaints: string[] = [];
  const serving = await startServing(
    engine,
    { host: "127.0.0.1", port: 0, rateLimit: undefined, served: () => {} },
    { version: "0.0.0", elapsed, printError: async (line) => void complaints.push(line) },
  );
  closers.push(serving.stop);
  const created = await engine.administration.createKey("default");
  const key = (created.envelope!.data as { readonly secret_key: string }).secret_key;
  const remote = await openRemote({
    baseUrl: `http://127.0.0.1:${serving.port}`,
    key,
    insecureHttp: false,
    env: {},
    timeout: 20_000,
    retries: 0,
    behaviour: {},
    signal: new AbortController().signal,
    now: Date.now,
    elapsed,
    random: () => 0,
    sleep: () => Promise.reject(new Error("unexpected sleep")),
    hide: (text) => text,
    log: async () => {},
    note: async (line) => void complaints.push(line),
    watch: undefined,
  });
  closers.push(remote.close);
  return {
    send: async (method, path, body) => received(await remote.send(requestOf(method, path, body))),
    server: { port: serving.port, key },
    complaints,
    engine,
    close,
  };
}

export const transports = { "a call": inProcess, HTTP: overHttp } as const;
