import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SendctlError } from "../../../core/error.ts";
import type { CheckReport, Maintenance } from "../../maintenance/maintenance.ts";
import { backUp } from "./backup.ts";
import { checks as allChecks, findProblems } from "./integrity.ts";
import { databaseInfo } from "./record-counts.ts";
import { openToRead, stepsBehind, withDatabase, type Database } from "../connection/open.ts";
import { resetDatabase } from "./reset.ts";
import { restoreDatabase } from "./restore.ts";

/**
 * Returns the maintenance operations for the database at `file`, an absolute path. Each opens the
 * database when called, and closes it again.
 *
 * @param folder the folder that relative paths of other files start from
 * @param signal returns the signal that stops copies; its reason is "SIGINT" or "SIGTERM"
 */
export function createMaintenance(
  file: string,
  folder: string,
  signal: () => AbortSignal,
): Maintenance {
  const pathOf = (given: string): string => {
    if (given === "") throw new SendctlError("usage", "FILE is empty", { hint: "name a file" });
    return resolve(folder, given);
  };
  return {
    info: async () => databaseInfo(file),
    check: async () => checkDatabase(file),
    reset: async (keepKeys) => resetDatabase(file, keepKeys),
    backup: async (target, replaces) => backUp(file, pathOf(target), replaces, signal()),
    restore: async (source, confirm) => restoreDatabase(file, pathOf(source), signal(), confirm),
  };
}

/** Checks a consistent snapshot while other processes write. */
async function checkDatabase(file: string): Promise<CheckReport> {
  const checks = [...new Set(allChecks.map(({ name }) => name))];
  const hint = "restore it from a backup: sendctl local restore FILE";
  const noProblems = { database: file, checks, problem_count: 0, problems: [], hint };
  if (!existsSync(file)) return { ...noProblems, exists: false };
  const check = (database: Database): CheckReport => {
    stepsBehind(database, file);
    const { count, first } = findProblems(database);
    return { ...noProblems, exists: true, problem_count: count, problems: first };
  };
  return withDatabase(file, check, () => openToRead(file));
}
