import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SendctlError } from "../../../contract/error.ts";
import type { CheckReport, Maintenance } from "../../maintenance/maintenance.ts";
import { backUp } from "./backup.ts";
import { databaseError } from "../connection/database-error.ts";
import { allChecks, faultsOf } from "./integrity.ts";
import { informationOn } from "./record-counts.ts";
import { lookAtAny } from "./look.ts";
import { checkFile, defaultWait, stepsBehind } from "../connection/open.ts";
import { resetDatabase } from "./reset.ts";
import { prepareRestore } from "./restore.ts";
import { isForeignLog } from "../connection/log-origin.ts";

/**
 * What whoever owns the database at `file`, an absolute path, may do with it as a whole. Nothing is opened
 * before it is asked for, nor left open.
 *
 * @param folder that paths of other files begin in
 * @param taken absolute paths beside it that are kept for something else: no backup goes there
 * @param signal says when to stop copying, and why: "SIGINT" or "SIGTERM"
 */
export function createMaintenance(
  file: string,
  folder: string,
  taken: readonly string[],
  signal: () => AbortSignal,
): Maintenance {
  const timeout = defaultWait;
  const pathOf = (given: string): string => {
    if (given === "") throw new SendctlError("usage", "FILE is empty", { hint: "name a file" });
    return resolve(folder, given);
  };
  return {
    exists: async () => existsSync(file),
    info: async () => informationOn(file, timeout),
    check: async () => checked(file, timeout),
    reset: async (keepKeys) => resetDatabase(file, keepKeys, timeout),
    backup: async (target, replaces, report) =>
      backUp(file, pathOf(target), replaces, taken, timeout, { signal: signal(), report }),
    prepareRestore: async (source, report) =>
      prepareRestore(file, pathOf(source), timeout, { signal: signal(), report }),
  };
}

/** As of one moment, whoever writes meanwhile. */
function checked(file: string, timeout: number): CheckReport {
  const checks = ["log", ...allChecks.map(({ name }) => name)];
  const nothing = { database: file, checks, problem_count: 0, problems: [] };
  try {
    if (!existsSync(file)) return { ...nothing, exists: false };
    checkFile(file);
    if (isForeignLog(file)) {
      // To look further would be to apply the log.
      const problems = [{ check: "log", detail: `${file}-wal belongs to another database` }];
      return { ...nothing, checks: ["log"], exists: true, problem_count: 1, problems };
    }
    const { database } = lookAtAny(file, timeout);
    try {
      database.transaction(() => stepsBehind(database, file)).deferred();
      const { count, first } = faultsOf(database, allChecks);
      return { ...nothing, exists: true, problem_count: count, problems: first };
    } catch (error) {
      throw databaseError(error, file, database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw databaseError(error, file);
  }
}
