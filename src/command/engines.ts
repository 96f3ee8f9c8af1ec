import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Embedded, OpenOptions } from "../engine/embedded.ts";
import type { Store } from "../engine/store/store.ts";
import type { Keys } from "./config.ts";
import type { Endpoint } from "./layers/layer.ts";
import { once, type Shared } from "./process.ts";
import { databaseFile } from "../config/database.ts";

/** The engines of a command, each opened when it is first used. */
export type Engines = ReturnType<typeof createEngines>;

/** Creates the engines of a command. */
export function createEngines(shared: Shared, keys: Keys) {
  const { settings, runtime, cleanups } = shared;
  const { databaseUrl, timeout } = settings;
  const { now } = runtime;
  const closedAtEnd = (opened: Embedded): Embedded => {
    cleanups.push(opened.close);
    return opened;
  };
  const openAnother = async (options: OpenOptions, file?: string): Promise<Embedded> => {
    const { createEmbedded, openEmbedded } = await import("../engine/embedded.ts");
    if (file !== undefined || databaseUrl === undefined) {
      return closedAtEnd(openEmbedded(file ?? databaseFile(settings), now, options));
    }
    const { openPostgresStore } = await import("../engine/postgres/store.ts");
    const store = await openPostgresStore(databaseUrl.url, runtime, now, timeout);
    return closedAtEnd(createEmbedded(store, now, options.behaviour));
  };
  const engine = once(async () => {
    const { createEmbedded } = await import("../engine/embedded.ts");
    const { openMemoryStore, openSqliteStore } = await import("../engine/sqlite/store.ts");
    const openEmpty = (): Store => openMemoryStore(now);
    if (databaseUrl !== undefined) {
      const { openPostgresStore } = await import("../engine/postgres/store.ts");
      const store = await openPostgresStore(databaseUrl.url, runtime, now, timeout, openEmpty);
      return closedAtEnd(createEmbedded(store, now));
    }
    const { openLateStore } = await import("../engine/store/late-store.ts");
    const store = openLateStore({
      create: () => openSqliteStore(databaseFile(settings), now),
      openEmpty,
      isMissing: () => isMissingDatabase(settings),
    });
    return closedAtEnd(createEmbedded(store, now));
  });
  const integration = once(async () => {
    const opened = await engine();
    const { key, source } = await keys.local(opened);
    return opened.integration(key, source);
  });
  const service = async (): Promise<Service> => (await integration()).service;
  return {
    /** Returns the engine on the chosen database. A file that does not exist is created with its first record. */
    engine,
    /** Returns the operations of that engine on the selected integration. */
    service,
    /** The same operations, of which the first opens the engine; requests are responded to as `serve` would, without HTTP. */
    endpoint: {
      service: serviceOf((name) => async (input) => {
        const operate: OperationHandler = (await service())[name];
        return operate(input);
      }),
      send: async (request) => {
        const { respondInProcess } = await import("../server/serve.ts");
        return respondInProcess(await engine(), await service(), request);
      },
    } satisfies Endpoint,
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
