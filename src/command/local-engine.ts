import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { SendctlError } from "../core/error.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { Runtime } from "../core/runtime.ts";

/** What a command does with the database. Only "write" creates it. */
export type Access = "read" | "write";

/** The engines of a command, each opened when it is first used. */
export interface Engines {
  /** Returns the engine on the chosen database; for a read of a missing file, an empty engine. */
  readonly open: (access: Access) => Promise<Embedded>;
  /**
   * Opens a separate engine.
   *
   * @param timeout how long SQLite waits for a lock, in milliseconds
   * @param file database file, instead of the chosen database
   * @param behaviour switches (default: those of the profile)
   * @param migrates false to create and change no tables
   */
  readonly openAnother: (
    timeout?: number,
    file?: string,
    behaviour?: PartialBehaviour,
    migrates?: boolean,
  ) => Promise<Embedded>;
}

type Chosen = Pick<Settings, "database" | "databaseUrl" | "sources" | "timeout">;

/**
 * Returns the engines of a command.
 *
 * @param own returns the switches of the profile
 * @param closers functions to call at the end of the command
 */
export function createEngines(
  settings: Chosen,
  own: () => Promise<PartialBehaviour>,
  runtime: Runtime,
  closers: (() => Promise<void> | void)[],
): Engines {
  let chosen: Promise<Embedded> | undefined;
  let empty: Promise<Embedded> | undefined;
  const closed = (opened: Embedded): Embedded => {
    closers.push(opened.close);
    return opened;
  };
  const openAnother: Engines["openAnother"] = async (timeout, file, given, migrates) => {
    const behaviour = given ?? (await own());
    const url = settings.databaseUrl?.url;
    if (file === undefined && url !== undefined) {
      const { openPostgresEmbedded } = await import("../engine/postgres/store.ts");
      const options = { timeout: settings.timeout, behaviour, migrates };
      return closed(await openPostgresEmbedded(url, runtime, runtime.now, options));
    }
    const { openEmbedded } = await import("../engine/embedded.ts");
    const path = file ?? settings.database;
    return closed(openEmbedded(path, runtime.now, { timeout, behaviour, migrates }));
  };
  const openEmpty = async (): Promise<Embedded> => {
    const [{ createEmbedded }, { openEmptyStore }] = await Promise.all([
      import("../engine/embedded.ts"),
      import("../engine/sqlite/store.ts"),
    ]);
    const store = openEmptyStore(settings.database, runtime.now);
    return closed(createEmbedded(store, runtime.now, await own()));
  };
  return {
    open: (access) => {
      // Checked for each read, because another process may create the file in the meantime.
      const isMissing = access === "read" && chosen === undefined && isMissingDatabase(settings);
      return isMissing ? (empty ??= openEmpty()) : (chosen ??= openAnother());
    },
    openAnother,
  };
}

/**
 * Returns whether the database is a file that does not exist.
 *
 * @throws SendctlError "database" if its path was given and its folder does not exist either
 */
export function isMissingDatabase({
  database,
  databaseUrl,
  sources,
}: Pick<Chosen, "database" | "databaseUrl" | "sources">): boolean {
  if (databaseUrl !== undefined || mayExist(database)) return false;
  if (sources.database === "default" || mayExist(dirname(database))) return true;
  throw new SendctlError(
    "database",
    `the database ${database} does not exist, and neither does its folder`,
    { hint: "check its path", file: database, database: "missing" },
  );
}

/** Returns false only for a missing path. Opening the database reports every other problem. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
