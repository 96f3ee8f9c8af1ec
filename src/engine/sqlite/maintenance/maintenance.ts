import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SendctlError } from "../../../contract/error.ts";
import type { CheckReport, Maintenance } from "../../maintenance/maintenance.ts";
import { backUp } from "./backup.ts";
import { databaseError } from "../connection/database-error.ts";
import { allChecks, findProblems } from "./integrity.ts";
import { databaseInfo } from "./record-counts.ts";
import { migrateFile } from "./migrate.ts";
import { openAnyReadOnly } from "./read-only.ts";
import { checkFile, defaultTimeout, stepsBehind } from "../connection/open.ts";
import { resetDatabase } from "./reset.ts";
import { prepareRestore } from "./restore.ts";
import { isForeignLog } from "../connection/log-origin.ts";

/**
 * Returns the maintenance operations for the database at `file`, an absolute path. Each opens the
 * database when called, and closes it again.
 *
 * @param folder the folder that relative paths of other files start from
 * @param reserved absolute paths beside the database that no backup may take
 * @param signal returns the signal that stops copies; its reason is "SIGINT" or "SIGTERM"
 */
export function createMaintenance(
  file: string,
  folder: string,
  reserved: readonly string[],
  signal: () => AbortSignal,
): Maintenance {
  const timeout = defaultTimeout;
  const pathOf = (given: string): string => {
    if (given === "") throw new SendctlError("usage", "FILE is empty", { hint: "name a file" });
    return resolve(folder, given);
  };
  return {
    exists: async () => existsSync(file),
    info: async () => databaseInfo(file, timeout),
    migrate: async (applies) => migrateFile(file, timeout, applies),
    check: async () => checkDatabase(file, timeout),
    reset: async (keepKeys) => resetDatabase(file, keepKeys, timeout),
    backup: async (target, replaces, report) =>
      backUp(file, pathOf(target), replaces, reserved, timeout, { signal: signal(), report }),
    prepareRestore: async (source, report) =>
      prepareRestore(file, pathOf(source), timeout, { signal: signal(), report }),
  };
}

/** Checks a consistent snapshot while other processes write. */
function checkDatabase(file: string, timeout: number): CheckReport {
  const checks = ["log", ...new Set(allChecks.map(({ name }) => name))];
  const hint = "restore it from a backup: sendctl local restore FILE";
  const noProblems = { database: file, checks, problem_count: 0, problems: [], hint };
  try {
    if (!existsSync(file)) return { ...noProblems, exists: false };
    checkFile(file);
    if (isForeignLog(file)) {
      // Opening the database would apply the log.
      const problems = [{ check: "log", detail: `${file}-wal belongs to another database` }];
      return { ...noProblems, checks: ["log"], exists: true, problem_count: 1, problems };
    }
    const { database } = openAnyReadOnly(file, timeout);
    try {
      database.transaction(() => stepsBehind(database, file)).deferred();
      const { count, first } = findProblems(database, allChecks);
      return { ...noProblems, exists: true, problem_count: count, problems: first };
    } catch (error) {
      throw databaseError(error, file, database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw databaseError(error, file);
  }
}
