import { resolve } from "node:path";
import { databaseUrl, requestLogFile } from "../config/database.ts";
import type { GlobalOptions } from "../config/settings.ts";
import type { Service } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Contacts } from "../engine/contacts/contacts.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { CopyReport, CopyStep } from "../engine/maintenance/copy.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import type { InjectedFault } from "../server/faults.ts";
import type { LogReader } from "../server/log-file.ts";
import type { Background } from "./background.ts";
import { isMissingDatabase, type Access, type Engines } from "./engines.ts";
import type { Keys, LocalKey } from "./config.ts";
import { refuseDatabase, type Shared } from "./process.ts";
import type { Servers } from "./serving.ts";

/**
 * The embedded engine. With access other than "create" (default: "change") nothing is created, and a given path in a
 * missing folder throws SendctlError "database".
 */
export interface Local extends Servers {
  readonly engine: (access?: Access) => Promise<Embedded>;
  /** Creates a record. A refusal does not create the database. */
  readonly create: Engines["create"];
  /** Returns the operations on the selected integration, even if a remote service is chosen. */
  readonly service: (access: Access) => Promise<Service>;
  /** Returns the key that selects the integration. */
  readonly key: () => Promise<LocalKey>;
  /** Returns the maintenance of the database: backup, restore, check, reset. */
  readonly database: (access?: Access) => Promise<Maintenance>;
  /** Returns the contacts of the selected integration. */
  readonly contacts: (access?: Access) => Promise<Contacts>;
  /** Opens the log of served requests, beside the database. @throws SendctlError "usage" if it cannot be read */
  readonly readLog: () => Promise<LogReader>;
  readonly background: () => Promise<Background>;
  /** Parses the faults of `--fault`. @throws SendctlError "usage" */
  readonly faults: (specifications: readonly string[]) => Promise<readonly InjectedFault[]>;
  /** Returns the names of the keys that a fault can have. */
  readonly faultKeys: () => Promise<readonly string[]>;
  /** Returns the OpenAPI document of a served database. */
  readonly openApi: () => Promise<object>;
  /**
   * Copies the database to another, on SQLite or PostgreSQL.
   *
   * @param to a file name or a postgres:// address
   * @throws SendctlError "usage" for an invalid address or a target with records, "database" if the target cannot be
   *   used
   */
  readonly copyTo: (to: string, step: CopyStep) => Promise<CopyReport>;
}

/** Creates the access to the embedded engine. */
export function createLocal(
  shared: Shared,
  options: GlobalOptions,
  keys: Keys,
  engines: Engines,
  beforeWrite: () => Promise<void>,
): Local {
  const { settings, runtime, secrets, stopSignal } = shared;
  const servers = async (): Promise<Servers> => {
    const { createServers } = await import("./serving.ts");
    return createServers(shared, engines);
  };
  const open = async (access: Access = "change"): Promise<Embedded> => {
    if (access !== "read") await beforeWrite();
    return engines.open(access);
  };
  return {
    engine: open,
    create: async (run) => {
      await beforeWrite();
      return engines.create(run);
    },
    service: engines.service,
    key: async () => keys.local(await engines.open("change")),
    database: async (access = "change") => {
      if (access === "read") isMissingDatabase(settings);
      else await beforeWrite();
      if (settings.databaseUrl !== undefined) {
        const postgres = await import("../engine/postgres/maintenance.ts");
        return postgres.createPostgresMaintenance(settings.databaseUrl, runtime, settings.timeout);
      }
      const { createMaintenance } = await import("../engine/sqlite/maintenance/maintenance.ts");
      return createMaintenance(settings.database, runtime.folder, stopSignal);
    },
    contacts: async (access = "change") => {
      const engine = await open(access);
      const { key, source } = await keys.local(engine);
      return engine.contacts(key, source);
    },
    readLog: async () => {
      isMissingDatabase(settings);
      const { openLogReader } = await import("../server/log-file.ts");
      return openLogReader(requestLogFile(settings, runtime));
    },
    background: async () => {
      refuseDatabase(settings);
      const { createBackground } = await import("./background.ts");
      return createBackground(shared);
    },
    faultKeys: async () => (await import("../server/faults.ts")).faultKeys,
    faults: async (specifications) => {
      if (specifications.length === 0) return [];
      const { readFault } = await import("../server/faults.ts");
      return specifications.map(readFault);
    },
    openApi: async () => {
      const { localServer, openApiDocument } = await import("../server/openapi/document.ts");
      return openApiDocument([localServer]);
    },
    copyTo: async (to, step) => {
      if (to === "") {
        const hint = "pass a file name or a postgres:// address";
        throw new SendctlError("usage", "--to is empty", { hint, setting: "--to" });
      }
      const { copyDatabase } = await import("../engine/maintenance/copy.ts");
      const sqlite = await import("../engine/sqlite/copy-records.ts");
      const postgres = await import("../engine/postgres/copy-records.ts");
      const [from, url] = [settings.databaseUrl, databaseUrl(to, "--to")];
      for (const password of url?.passwords ?? []) secrets.add(password);
      const source =
        from === undefined
          ? sqlite.sqliteCopySource(settings.database)
          : postgres.postgresCopySource(from, runtime);
      const target =
        url === undefined
          ? sqlite.sqliteCopyTarget(resolve(runtime.folder, to))
          : postgres.postgresCopyTarget(url, runtime);
      return copyDatabase(source, target, step);
    },
    serve: async (given) => (await servers()).serve(given),
    serveTemporarily: async (given, backup) => (await servers()).serveTemporarily(given, backup),
  };
}

/** Refuses options that select a service, for commands of the embedded engine. Variables are ignored. */
export function refuseServiceOptions({ baseUrl, dryRun }: GlobalOptions): void {
  if (baseUrl !== undefined) {
    throw new SendctlError("usage", "this command works on the embedded engine only", {
      hint: "omit --base-url",
      setting: "--base-url",
    });
  }
  if (dryRun === true) {
    const message = "--dry-run is not supported here: this command sends no request";
    throw new SendctlError("usage", message, { hint: "omit --dry-run", setting: "--dry-run" });
  }
}
