import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { OperationName } from "../../src/contract/operations.ts";
import { requestOf } from "../../src/contract/request.ts";
import type { Service } from "../../src/contract/service.ts";
import { openEmbedded, type Embedded } from "../../src/engine/embedded.ts";
import {
  kindOtherThanSqlite,
  openEmbeddedOn,
  type NewDatabase,
} from "../engine/support/test-database.ts";
import { openRemote } from "../../src/remote/open.ts";
import { eachRecord } from "../../src/service/stream-list.ts";
import type { RequestLogEntry } from "../../src/server/server-options.ts";
import { startServing } from "../../src/cli/serve-engine.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { quickFolder } from "../support/quick-folder.ts";

/** Two integrations, each with a key of its own: neither may see anything of the other's. */
export type Caller = "owner" | "other";

/** A way to the engine: whoever asks, and how to be done with it. */
export interface Transport {
  readonly services: Readonly<Record<Caller, Service>>;
  readonly close: () => Promise<void>;
}

/** The same over a socket, and what can be known of that from outside. */
export interface SocketTransport extends Transport {
  readonly port: number;
  readonly baseUrl: string;
  readonly keys: Readonly<Record<Caller, string>>;
  /** What the server answered, in its order: the proof that it was asked, and how often. */
  readonly served: readonly RequestLogEntry[];
  /** What it complained of, and what the clients noted. Nothing, when all is well. */
  readonly complaints: readonly string[];
}

/** Microseconds since 1970. It stands still, so that both ways have the same times. */
const now = (): number => Date.UTC(2026, 1, 3, 4, 5, 6, 789) * 1000 + 12;

/** A runtime that has nothing of this process. */
function makeWorld(): Runtime {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    stdin: new PassThrough(),
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    folder: "/",
    home: "/",
    now,
    elapsed: () => performance.now(),
    random: () => 0,
    sleep: () => Promise.reject(new Error("Nothing here is worth waiting for")),
    onStop: () => () => {},
    run: () => Promise.reject(new Error("Nothing is run here")),
  };
}

interface Opened {
  readonly engine: Embedded;
  readonly keys: Readonly<Record<Caller, string>>;
  readonly close: () => Promise<void>;
}

async function newKey({ administration }: Embedded, integration: string): Promise<string> {
  const { envelope } = await administration.createKey(integration);
  return (envelope!.data as { readonly secret_key: string }).secret_key;
}

async function makeKeys(engine: Embedded): Promise<Opened["keys"]> {
  await engine.administration.createIntegration("other");
  return { owner: await newKey(engine, "default"), other: await newKey(engine, "other") };
}

interface Beginning {
  /** Of a database that holds no record yet, only the integrations and their keys. */
  readonly bytes: Uint8Array;
  readonly keys: Readonly<Record<Caller, string>>;
}

/** Made once and copied: a new database costs dozens of flushes to the disk, a copy none. */
let beginning: Promise<Beginning> | undefined;

async function makeBeginning(): Promise<Beginning> {
  const folder = await newFolder();
  const file = join(folder, "sendctl.db");
  const engine = openEmbedded(file, now);
  const keys = await makeKeys(engine);
  await engine.close();
  const bytes = await readFile(file);
  await rm(folder, { recursive: true });
  return { bytes, keys };
}

const newFolder = (): Promise<string> => mkdtemp(join(quickFolder, "sendctl-contract-"));

/** An engine on a database of its own, with a key for each caller. */
async function openEngine(): Promise<Opened> {
  const newDatabase = kindOtherThanSqlite();
  return newDatabase === undefined ? openOnFile() : openOnOther(newDatabase);
}

async function openOnOther(newDatabase: NewDatabase): Promise<Opened> {
  const database = await newDatabase("");
  const engine = await openEmbeddedOn(database, now);
  return {
    engine,
    keys: await makeKeys(engine),
    close: async () => {
      await engine.close();
      await database.close();
    },
  };
}

async function openOnFile(): Promise<Opened> {
  const { bytes, keys } = await (beginning ??= makeBeginning());
  const folder = await newFolder();
  const file = join(folder, "sendctl.db");
  await writeFile(file, bytes);
  const engine = openEmbedded(file, now);
  return {
    engine,
    keys,
    close: async () => {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The engine, in this process.
 *
 * @param key the owner's, where it is not to be the right one
 * @throws SendctlError "auth" for a key that was not issued
 */
export async function openInProcess(key?: string): Promise<Transport> {
  const { engine, keys, close } = await openEngine();
  try {
    const owner = await engine.service(key ?? keys.owner);
    return { services: { owner, other: await engine.service(keys.other) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A remote client of whatever answers at `baseUrl`. It tries nothing twice. */
export async function openClient(baseUrl: string, key: string, complaints: string[] = []) {
  const { env, random, sleep } = makeWorld();
  const remote = await openRemote({
    baseUrl,
    key,
    insecureHttp: false,
    env,
    timeout: 20_000,
    retries: 0,
    signal: new AbortController().signal,
    now: () => now() / 1000,
    elapsed: () => performance.now(),
    random,
    sleep,
    hide: (text) => text,
    log: async () => {},
    note: async (line) => void complaints.push(line),
    watch: undefined,
    eachRecord,
  });
  const alone = (name: OperationName) => (input: object) => remote.send(requestOf(name, input));
  // These begin with a read. Here each step is the one request that the document describes.
  const update = { "group.update": alone("group.update") };
  const removal = { "sender-id.delete": alone("sender-id.delete") };
  return { ...remote, service: { ...remote.service, ...update, ...removal } };
}

/**
 * Remote client, HTTP over a loopback socket, server, engine.
 *
 * @param between given the address of the server, the one that the clients are pointed at instead
 */
export async function openOverSocket(
  between: (baseUrl: string) => Promise<string> = async (baseUrl) => baseUrl,
): Promise<SocketTransport> {
  const opened = await openEngine();
  const served: RequestLogEntry[] = [];
  const complaints: string[] = [];
  const serving = await startServing(
    opened.engine,
    {
      host: "127.0.0.1",
      port: 0,
      rateLimit: undefined,
      served: (request) => void served.push(request),
    },
    makeWorld(),
    async (text) => void complaints.push(text),
  );
  const baseUrl = await between(`http://127.0.0.1:${serving.port}`);
  const owner = await openClient(baseUrl, opened.keys.owner, complaints);
  const other = await openClient(baseUrl, opened.keys.other, complaints);
  return {
    services: { owner: owner.service, other: other.service },
    port: serving.port,
    baseUrl,
    keys: opened.keys,
    served,
    complaints,
    close: async () => {
      owner.close();
      other.close();
      await serving.stop();
      await opened.close();
    },
  };
}
