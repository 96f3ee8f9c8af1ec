import { resolve } from "node:path";
import { databaseFile, locateDatabase, requestLogFile } from "../config/database.ts";
import type { GlobalOptions } from "../config/settings.ts";
import { SendctlError } from "../core/error.ts";
import { readNamedFile } from "../core/own-file.ts";
import type { Contacts } from "../engine/contacts/contacts.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { CopyReport, CopyStep, Maintenance } from "../engine/maintenance/maintenance.ts";
import type { InjectedFault } from "../server/faults.ts";
import { throwingRefusals } from "../service/refusals.ts";
import type { LogReader } from "../server/request-log.ts";
import { isMissingDatabase, type Engines } from "./endpoints.ts";
import type { Keys } from "./config.ts";
import { refuseDatabase, type Shared } from "./process.ts";
import type { Servers } from "./serving.ts";

/** What a command does with the database (default: "change"). */
type Access = "read" | "change";

/**
 * Creates the access to the embedded engine. A given path in a missing folder throws SendctlError
 * "database" unless a record is created.
 *
 * @throws SendctlError "usage" with the option `--base-url` or `--dry-run`
 */
export function createLocal(
  shared: Shared,
  options: GlobalOptions,
  keys: Keys,
  engines: Engines,
  beforeWrite: () => Promise<void>,
) {
  const { settings, runtime, secrets, stopSignal } = shared;
  refuseServiceOptions(options);
  const open = async (access: Access = "change"): Promise<Embedded> => {
    if (access !== "read") await beforeWrite();
    return engines.engine();
  };
  const readBody = (file: string) => readNamedFile(file, resolve(runtime.folder, file));
  return {
    engine: open,
    /** Returns the operations on the selected integration, even if a remote service is chosen. */
    service: async () => throwingRefusals(await engines.service()),
    /** Returns its groups with a name. */
    groupsNamed: async (name: string) => (await engines.integration()).groupsNamed(name),
    /** Returns the key that selects the integration. */
    key: async () => keys.local(await engines.engine()),
    /** Returns the maintenance of the database: backup, restore, check, reset. */
    database: async (access: Access = "change"): Promise<Maintenance> => {
      if (access === "read") isMissingDatabase(settings);
      else await beforeWrite();
      if (settings.databaseUrl !== undefined) {
        const postgres = await import("../engine/postgres/maintenance.ts");
        return postgres.createPostgresMaintenance(settings.databaseUrl, runtime, settings.timeout);
      }
      const { createMaintenance } = await import("../engine/sqlite/maintenance.ts");
      return createMaintenance(databaseFile(settings), runtime.folder, stopSignal);
    },
    /** Returns the contacts of the selected integration. */
    contacts: async (access: Access = "change"): Promise<Contacts> => {
      if (access !== "read") await beforeWrite();
      return (await engines.integration()).contacts();
    },
    /** Opens the log beside the database. @throws SendctlError "usage" if it cannot be read */
    readLog: async (): Promise<LogReader> => {
      isMissingDatabase(settings);
      const { openLogReader } = await import("../server/request-log.ts");
      return openLogReader(requestLogFile(settings, runtime));
    },
    background: async () => {
      refuseDatabase(settings);
      const { createBackground } = await import("./background.ts");
      return createBackground(shared);
    },
    /** Parses the faults of `--fault`. @throws SendctlError "usage" */
    faults: async (specifications: readonly string[]): Promise<readonly InjectedFault[]> => {
      if (specifications.length === 0) return [];
      const { readFault } = await import("../server/faults.ts");
      return specifications.map((specification) => readFault(specification, { readBody }));
    },
    /** Returns the OpenAPI document of a served database. */
    openApi: async (): Promise<object> => {
      const { openApiDocument } = await import("../server/openapi.ts");
      return openApiDocument();
    },
    /**
     * Copies the database to another, on SQLite or PostgreSQL.
     *
     * @param to a file name or a postgres:// address
     * @throws SendctlError "usage" for an invalid address or a target with records, "database" if
     *   the target cannot be used
     */
    copyTo: async (to: string, step: CopyStep): Promise<CopyReport> => {
      if (to === "") {
        const hint = "pass a file name or a postgres:// address";
        throw new SendctlError("usage", "--to is empty", { hint });
      }
      const { copyDatabase } = await import("../engine/maintenance/maintenance.ts");
      const { sqliteCopySide } = await import("../engine/sqlite/bulk.ts");
      const { postgresCopySide } = await import("../engine/postgres/maintenance.ts");
      const { databaseUrl: from } = settings;
      const { database, databaseUrl: url } = locateDatabase(to, "--to", runtime);
      for (const password of url?.passwords ?? []) secrets.add(password);
      const source =
        from === undefined
          ? sqliteCopySide(databaseFile(settings))
          : postgresCopySide(from, runtime);
      const target = url === undefined ? sqliteCopySide(database) : postgresCopySide(url, runtime);
      return copyDatabase(source, target, step);
    },
    /** Loads what serves the engine on a port. */
    servers: async (): Promise<Servers> => {
      const { createServers } = await import("./serving.ts");
      return createServers(shared, engines);
    },
  };
}

/** Refuses options that select a service, for commands of the engine. Ignores variables. */
function refuseServiceOptions({ baseUrl, dryRun }: GlobalOptions): void {
  if (baseUrl !== undefined) {
    const hint = "omit --base-url";
    throw new SendctlError("usage", "this command works on the embedded engine only", { hint });
  }
  if (dryRun === true) {
    const message = "--dry-run is not supported here: this command sends no request";
    throw new SendctlError("usage", message, { hint: "omit --dry-run" });
  }
}
