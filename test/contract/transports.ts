import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OperationName } from "../../src/contract/operations.ts";
import { requestOf, type Request } from "../../src/contract/request.ts";
import type { PartialBehaviour } from "../../src/contract/behaviour.ts";
import type { Reply, Service } from "../../src/contract/service.ts";
import { openEmbedded, type Embedded } from "../../src/engine/embedded.ts";
import {
  kindOtherThanSqlite,
  openEmbeddedOn,
  type NewDatabase,
} from "../engine/support/test-database.ts";
import { openRemote } from "../../src/client/client.ts";
import type { RequestLogEntry } from "../../src/server/request-log.ts";
import { startServing } from "../../src/server/serve.ts";
import { newKey } from "../server/running-server.ts";
import { deleteFolder, quickFolder } from "../support/quick-folder.ts";

/** Two integrations with a key each. Neither may see records of the other. */
export type Caller = "owner" | "other";

/** A transport to the engine, with a service for each caller. */
export interface Transport {
  readonly engine: Embedded;
  readonly services: Readonly<Record<Caller, Service>>;
  readonly close: () => Promise<void>;
}

/** A transport over a socket, with what can be observed from outside. */
export interface SocketTransport extends Transport {
  readonly port: number;
  readonly baseUrl: string;
  readonly keys: Readonly<Record<Caller, string>>;
  /** Sends any request as the owner. */
  readonly send: (request: Request) => Promise<Reply>;
  /** Requests that the server served, in order, which proves that and how often it was called. */
  readonly served: readonly RequestLogEntry[];
  /** Warnings of the server and notes of the clients. Empty if all is well. */
  readonly complaints: readonly string[];
}

/** Microseconds since 1970. Constant, so that both transports have the same times. */
const now = (): number => Date.UTC(2026, 1, 3, 4, 5, 6, 789) * 1000 + 12;

interface Opened {
  readonly engine: Embedded;
  readonly keys: Readonly<Record<Caller, string>>;
  readonly close: () => Promise<void>;
}

async function createKeys(engine: Embedded): Promise<Opened["keys"]> {
  await engine.administration.createIntegration("other");
  return { owner: await newKey(engine, "default"), other: await newKey(engine, "other") };
}

interface InitialDatabase {
  /** A database with both integrations and their keys, but without records. */
  readonly bytes: Uint8Array;
  readonly keys: Readonly<Record<Caller, string>>;
}

/** Created once and copied, because creating a database takes dozens of disk flushes. */
let initial: Promise<InitialDatabase> | undefined;

async function createInitial(): Promise<InitialDatabase> {
  const folder = await newFolder();
  const file = join(folder, "sendctl.db");
  const engine = openEmbedded(file, now);
  const keys = await createKeys(engine);
  await engine.close();
  const bytes = await readFile(file);
  deleteFolder(folder);
  return { bytes, keys };
}

const newFolder = (): Promise<string> => mkdtemp(join(quickFolder, "sendctl-contract-"));

/** Opens an engine on a new database with a key for each caller. */
async function openEngine(behaviour?: PartialBehaviour): Promise<Opened> {
  const newDatabase = kindOtherThanSqlite();
  return newDatabase === undefined ? openOnFile(behaviour) : openOnOther(newDatabase, behaviour);
}

async function openOnOther(
  newDatabase: NewDatabase,
  behaviour: PartialBehaviour | undefined,
): Promise<Opened> {
  const database = await newDatabase("");
  const engine = await openEmbeddedOn(database, now, behaviour);
  return {
    engine,
    keys: await createKeys(engine),
    close: async () => {
      await engine.close();
      await database.close();
    },
  };
}

async function openOnFile(behaviour: PartialBehaviour | undefined): Promise<Opened> {
  const { bytes, keys } = await (initial ??= createInitial());
  const folder = await newFolder();
  const file = join(folder, "sendctl.db");
  await writeFile(file, bytes);
  const engine = openEmbedded(file, now, { behaviour });
  return {
    engine,
    keys,
    close: async () => {
      await engine.close();
      deleteFolder(folder);
    },
  };
}

/**
 * Opens the engine in this process.
 *
 * @param key replaces the owner's key
 * @throws SendctlError "auth" for a key that was not issued
 */
export async function openInProcess(
  key?: string,
  behaviour?: PartialBehaviour,
): Promise<Transport> {
  const { engine, keys, close } = await openEngine(behaviour);
  try {
    const owner = await engine.service(key ?? keys.owner);
    return { engine, services: { owner, other: await engine.service(keys.other) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a remote client for `baseUrl` that never retries. */
export async function openClient(baseUrl: string, key: string, complaints: string[] = []) {
  const remote = await openRemote({
    behaviour: {},
    baseUrl,
    key,
    insecureHttp: false,
    env: {},
    timeout: 20_000,
    retries: 0,
    signal: new AbortController().signal,
    now: () => now() / 1000,
    elapsed: () => performance.now(),
    random: () => 0,
    sleep: () => Promise.reject(new Error("unexpected sleep")),
    hide: (text) => text,
    log: async () => {},
    note: async (line) => {
      // The clock of the engine stands still here, and that of the server does not.
      if (!line.includes("may have existed before")) complaints.push(line);
    },
    watch: undefined,
  });
  const sendOnly = (name: OperationName) => (input: object) => remote.send(requestOf(name, input));
  // The client's own versions start with a read. Here each step must be the one request of the operation.
  const writes = {
    "group.update": sendOnly("group.update"),
    "group.delete": sendOnly("group.delete"),
    "sender-id.delete": sendOnly("sender-id.delete"),
  };
  return { ...remote, service: { ...remote.service, ...writes } };
}

/**
 * Opens a remote client, HTTP over a loopback socket, a server and the engine behind it.
 *
 * @param between maps the server's base URL to the one that the clients use
 */
export async function openOverSocket(
  between: (baseUrl: string) => Promise<string> = async (baseUrl) => baseUrl,
  behaviour?: PartialBehaviour,
): Promise<SocketTransport> {
  const opened = await openEngine(behaviour);
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
    {
      elapsed: () => performance.now(),
      printError: async (text) => void complaints.push(text),
    },
  );
  const baseUrl = await between(`http://127.0.0.1:${serving.port}`);
  const owner = await openClient(baseUrl, opened.keys.owner, complaints);
  const other = await openClient(baseUrl, opened.keys.other, complaints);
  return {
    engine: opened.engine,
    services: { owner: owner.service, other: other.service },
    send: owner.send,
    port: serving.port,
    baseUrl,
    keys: opened.keys,
    served,
    complaints,
    close: async () => {
      owner.close();
      other.close();
      serving.abort();
      await serving.stop();
      await opened.close();
    },
  };
}
