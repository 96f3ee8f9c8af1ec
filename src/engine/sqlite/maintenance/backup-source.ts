import { createReadStream, createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { SendctlError, type DatabaseProblem } from "../../../core/error.ts";
import { unreadableFile } from "../../../core/files.ts";
import type { Microseconds, Store } from "../../store/store.ts";
import { storeOn } from "../store.ts";
import { connect } from "../connection/connect.ts";
import { databaseError, unusable } from "../connection/database-error.ts";
import { hasTables, logSize, migrate, stepsBehind, type Database } from "../connection/open.ts";
import { isDatabaseFile } from "./backup.ts";
import { throwIfStopped } from "./copy-file.ts";
import { damageOf } from "./integrity.ts";

const nameAnother = "use another file";

/**
 * Rejects a file that cannot be a backup of this database because of its type or path, or because it lacks what is in a log
 * beside it.
 *
 * @throws SendctlError "usage", or "database" for a file that is in use
 */
export function refuseSource(file: string, source: string): void {
  const refuse = (message: string, hint = nameAnother): SendctlError =>
    new SendctlError("usage", `${source} ${message}`, { hint, file: source });
  try {
    const found = statSync(source);
    if (found.isDirectory()) throw refuse("is a folder", "name a file");
    if (!found.isFile()) throw refuse("is not a file");
    if (isDatabaseFile(file, source)) throw refuse("is the database itself");
    refuseLog(source);
  } catch (error) {
    throw unreadableFile(source, error);
  }
}

function refuseLog(source: string): void {
  if (logSize(source) === 0 && !existsSync(`${source}-journal`)) return;
  const hint = "back it up with `sendctl local backup`, and use the backup";
  throw unusableBackup(source, "locked", "is in use, or was not closed", hint);
}

/**
 * Copies a backup that `refuseSource` accepts, checks the copy and applies pending migrations to it. The backup is not changed.
 *
 * @param copy a file that nothing else has open; only its owner can read it
 * @throws SendctlError "usage" for a file that cannot be read, "database" if it is not a valid database of sendctl,
 *   "cancelled", "terminated"
 */
export async function openCopy(
  source: string,
  copy: string,
  signal: AbortSignal,
): Promise<Database> {
  try {
    await pipeline(createReadStream(source), createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await throwIfStopped(signal);
    const isOfCopy = (error as NodeJS.ErrnoException).syscall === "write";
    throw isOfCopy ? databaseError(error, copy) : unreadableFile(source, error);
  }
  return validated(connect(copy), source, signal);
}

/** Writes a copy of a backup without its keys to a file that does not exist yet. @throws as `openCopy` */
export async function writeBackupCopy(
  source: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  refuseSource(file, source);
  const copy = await openCopy(source, file, signal);
  try {
    copy.exec("DELETE FROM secret_key");
  } finally {
    copy.close();
  }
}

/**
 * Opens a Store on a copy of a backup in memory, without its keys.
 *
 * @param source absolute path
 * @param now microseconds since 1970
 * @throws SendctlError "usage" for what is not a file, "database" for a backup that is damaged or in use
 */
export async function openBackupStore(source: string, now: () => Microseconds): Promise<Store> {
  refuseSource(":memory:", source);
  try {
    const image = readFileSync(source);
    // The version of the format: 2 is a database with a write-ahead log, which one in memory cannot have.
    if (image.length > 20) image.fill(1, 18, 20);
    const copy = await validated(connect(image), source, new AbortController().signal);
    copy.pragma("foreign_keys = ON");
    copy.exec("DELETE FROM secret_key");
    return storeOn(() => copy, source, now);
  } catch (error) {
    throw databaseError(error, source);
  }
}

/** Checks a copy and applies pending migrations to it. @throws SendctlError after it has closed the copy */
async function validated(copy: Database, source: string, signal: AbortSignal): Promise<Database> {
  let failure: unknown;
  try {
    // The copy is simply created again after a crash.
    copy.pragma("synchronous = OFF");
    copy.pragma("journal_mode = DELETE");
    // Another process may have begun to use it meanwhile.
    refuseLog(source);
    stepsBehind(copy, source);
    const damage = await damageOf(copy, signal);
    if (damage === undefined && hasTables(copy)) {
      migrate(copy, source);
      return copy;
    }
    failure =
      damage === undefined
        ? unusableBackup(source, "not_a_database", "is empty")
        : unusableBackup(source, "damaged", `is damaged: ${damage}`);
  } catch (error) {
    failure = sourceError(error, source, copy);
  }
  copy.close();
  throw failure;
}

/** Returns the error for a file that is not a valid backup. */
function unusableBackup(
  source: string,
  problem: DatabaseProblem,
  message: string,
  hint = nameAnother,
): SendctlError {
  return unusable(source, [problem, `${message}, so nothing was restored`, hint]);
}

/** Converts the error of reading a backup. The hint is to use another file, not to restore it from a backup. */
function sourceError(error: unknown, source: string, copy: Database): unknown {
  const failure = databaseError(error, source, copy);
  const problem = failure instanceof SendctlError ? failure.details.database : undefined;
  if (problem === "damaged") return unusableBackup(source, problem, "is damaged or truncated");
  if (problem === "not_a_database") return unusableBackup(source, problem, "is not a database");
  return failure;
}
