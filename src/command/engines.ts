import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { Request } from "../contract/request.ts";
import { serviceOf, type OperationHandler, type Reply, type Service } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Embedded, OpenOptions } from "../engine/embedded.ts";
import type { Store } from "../engine/store/store.ts";
import type { Keys } from "./config.ts";
import { traced } from "./layers/trace.ts";
import type { Shared } from "./process.ts";
import { databaseFile } from "../config/database.ts";

/** The engines of a command, each opened when it is first used. */
export type Engines = ReturnType<typeof createEngines>;

/** Creates the engines of a command. */
export function createEngines(shared: Shared, keys: Keys) {
  const { settings, runtime, cleanups, debug } = shared;
  const closedAtEnd = (opened: Embedded): Embedded => {
    cleanups.push(opened.close);
    return opened;
  };
  const openAnother = async (options: OpenOptions, file?: string): Promise<Embedded> => {
    const { createEmbedded, openEmbedded } = await import("../engine/embedded.ts");
    const url = settings.databaseUrl?.url;
    if (file === undefined && url !== undefined) {
      const { openPostgresStore } = await import("../engine/postgres/store.ts");
      const store = await openPostgresStore(url, runtime, runtime.now, settings.timeout);
      return closedAtEnd(createEmbedded(store, runtime.now, options.behaviour));
    }
    return closedAtEnd(openEmbedded(file ?? databaseFile(settings), runtime.now, options));
  };
  const openChosen = async (): Promise<Embedded> => {
    const { now } = runtime;
    const { createEmbedded } = await import("../engine/embedded.ts");
    const { openMemoryStore, openSqliteStore } = await import("../engine/sqlite/store.ts");
    const openEmpty = (): Store => openMemoryStore(now);
    const openLate = async (): Promise<Store> => {
      const { databaseUrl, timeout } = settings;
      if (databaseUrl !== undefined) {
        const { openPostgresStore } = await import("../engine/postgres/store.ts");
        return openPostgresStore(databaseUrl.url, runtime, now, timeout, openEmpty);
      }
      const { openLateStore } = await import("../engine/store/late-store.ts");
      return openLateStore({
        create: () => openSqliteStore(databaseFile(settings), now),
        openEmpty,
        isMissing: () => isMissingDatabase(settings),
      });
    };
    return closedAtEnd(createEmbedded(await openLate(), now));
  };
  let chosen: Promise<Embedded> | undefined;
  const engine = (): Promise<Embedded> => (chosen ??= openChosen());
  const openIntegration = async () => {
    const opened = await engine();
    const { key, source } = await keys.local(opened);
    return opened.integration(key, source);
  };
  let selected: ReturnType<typeof openIntegration> | undefined;
  const integration = () => (selected ??= openIntegration());
  const openService = async (): Promise<Service> => {
    const { service } = await integration();
    return settings.debug ? traced(service, runtime.elapsed, debug) : service;
  };
  let opened: Promise<Service> | undefined;
  const service = (): Promise<Service> => (opened ??= openService());
  const respond = async (request: Request): Promise<Reply> => {
    const { respondInProcess } = await import("../server/serve.ts");
    return respondInProcess(await engine(), await service(), request);
  };
  return {
    /** Returns the engine on the chosen database. A file that does not exist is created with its first record. */
    engine,
    /** Returns the operations of that engine on the selected integration. */
    service,
    /** Responds to a request as `serve` would, without HTTP. */
    respond,
    /** The same operations, of which the first opens the engine. */
    late: serviceOf((name) => async (input) => {
      const operate: OperationHandler = (await service())[name];
      return operate(input);
    }),
    /** Returns that integration: its contacts, its sender IDs of groups, and its groups by name. */
    integration,
    /** Opens a separate engine. @param file database file, instead of the chosen database */
    openAnother,
  };
}

/**
 * Returns whether the database is a file that does not exist.
 *
 * @throws SendctlError "database" if its path was given and its folder does not exist either
 */
export function isMissingDatabase(settings: Settings): boolean {
  const { database, databaseUrl, sources } = settings;
  if (databaseUrl !== undefined || mayExist(databaseFile(settings))) return false;
  if (sources.database === "default" || mayExist(dirname(database))) return true;
  throw new SendctlError(
    "database",
    `the database ${database} does not exist, and neither does its folder`,
    { hint: "check its path" },
  );
}

/** Returns false only for a missing path and an empty file. Opening the database reports every other problem. */
function mayExist(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && found.size === 0);
  } catch {
    return true;
  }
}
