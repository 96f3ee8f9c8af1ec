import { copyFileSync, existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SendctlError } from "../../../core/error.ts";
import { makeFolder } from "../../../core/files.ts";
import { elapsed } from "../../../core/time.ts";
import type { PreparedRestore, RecordCounts } from "../../maintenance/maintenance.ts";
import { defaultTimeout, refuseReplaced } from "../connection/connect.ts";
import { databaseError, locked, unusable } from "../connection/database-error.ts";
import { countTurn } from "../connection/mark.ts";
import { openDatabase, settle, type Database } from "../connection/open.ts";
import {
  createFileBeside,
  flush,
  flushFolder,
  removeWithLogs,
  throwIfStopped,
} from "./copy-file.ts";
import { countRecords, databaseInfo } from "./record-counts.ts";
import { openCopy, refuseSource } from "./restore-source.ts";

/**
 * Checks a backup and copies it beside the database that it will replace. The backup is not
 * changed.
 *
 * @param source absolute path of the backup
 * @throws SendctlError "usage" for an unsuitable source, "database", "cancelled", "terminated"
 */
export async function prepareRestore(
  file: string,
  source: string,
  signal: AbortSignal,
): Promise<PreparedRestore> {
  refuseSource(file, source);
  const current = await currentCounts(file);
  const path = existsSync(file) ? realpathSync(file) : file;
  let copyFile: string | undefined;
  let copy: Database | undefined;
  const discard = (): void => {
    copy?.close();
    if (copyFile !== undefined) removeWithLogs(copyFile);
  };
  try {
    makeFolder(dirname(path));
    copyFile = createFileBeside(path, "restore");
    const opened = (copy = await openCopy(source, copyFile));
    throwIfStopped(signal);
    const counts = countRecords(opened);
    return {
      counts,
      current,
      discard,
      carryOut: async () => {
        const damagedFile = await replaceContent(opened, path, signal);
        return { database: file, file: source, ...counts, damaged_database: damagedFile };
      },
    };
  } catch (error) {
    discard();
    throw databaseError(error, file);
  }
}

/**
 * Returns the record counts of the database to be replaced.
 *
 * @returns undefined if there is none
 * @throws SendctlError "database" for a database that must not be replaced, such as another
 *   program's
 */
async function currentCounts(file: string): Promise<RecordCounts | "damaged" | undefined> {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  try {
    return await databaseInfo(file);
  } catch (error) {
    if (isDamage(error)) return "damaged";
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof SendctlError && error.database === "damaged";
}

/**
 * Replaces the content of the database with the copy.
 *
 * @returns the path of the old database if it was too damaged to be overwritten, else null
 */
async function replaceContent(
  copy: Database,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  let live: Database;
  try {
    live = openDatabase(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    copy.close();
    return replaceDamaged(file, copy.name);
  }
  try {
    await overwrite(copy, live, file, signal);
    // The copy was written without waiting for the disk, and the next write waits for everything before it.
    settle(live, `UPDATE clock SET newest = newest + 1, ${countTurn}`);
    refuseReplaced(live, file, true);
    return null;
  } catch (error) {
    throw databaseError(error, file, live);
  } finally {
    live.close();
  }
}

/** Number of pages copied at a time. Between two batches the copy can be stopped. */
const pagesPerStep = 1024;

/** Maximum pause between two attempts to get the write lock, in milliseconds. */
const maxPause = 10;

/**
 * Overwrites a database that may be in use with the copy, in one transaction: every reader sees
 * either the old content or the new, even after a crash.
 *
 * @throws SendctlError "database" if other processes hold the lock for longer
 */
async function overwrite(
  copy: Database,
  live: Database,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = elapsed() + defaultTimeout;
  for (;;) {
    let isLocked = false;
    const { totalPages } = await copy.backup(file, {
      progress: () => {
        // From the first call on, no other process can write.
        if (!isLocked) continueSequences(copy, live);
        isLocked = true;
        throwIfStopped(signal);
        return pagesPerStep;
      },
    });
    // SQLite reported BUSY, which better-sqlite3 treats as success: 0 of 0 pages are left.
    if (totalPages > 0) return;
    throwIfStopped(signal);
    if (elapsed() > deadline) throw unusable(file, locked);
    await setTimeout(maxPause * Math.random());
  }
}

/**
 * Copies the id sequences and the clock of the live database to the copy: ids are never reused and
 * times increase (rulings 21 and 22), even though records created since the backup are lost.
 */
function continueSequences(copy: Database, live: Database): void {
  type Sequence = { readonly name: string; readonly seq: number };
  let sequences: Sequence[];
  let clock: { newest: number; id: Buffer; turn: number };
  try {
    sequences = live.prepare<[]>("SELECT name, seq FROM sqlite_sequence").all() as Sequence[];
    const sql = "SELECT newest, database_id AS id, turn FROM clock";
    clock = live.prepare<[]>(sql).get() as typeof clock;
  } catch {
    // The live database is too damaged to read them.
    return;
  }
  copy
    .transaction(() => {
      const raise = copy.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
      const add = copy.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
      for (const { name, seq } of sequences) {
        if (raise.run(seq, name).changes === 0) add.run(seq, name);
      }
      // The database keeps its identity, and the restore is its next transaction: see mark.ts.
      const { newest, id, turn } = clock;
      copy
        .prepare("UPDATE clock SET newest = max(newest, ?), database_id = ?, turn = ?")
        .run(newest, id, turn + 1);
    })
    .immediate();
}

/**
 * Replaces a database that SQLite can no longer open with a valid one. The damaged database is kept
 * beside it, so that its records can still be recovered. Its log is moved along with it, and moved
 * first, because SQLite would apply it to the new file. At every moment the path leads to the
 * damaged or to the new file.
 *
 * @returns the path of the damaged database
 */
function replaceDamaged(file: string, copy: string): string {
  flush(copy);
  const damagedFile = freeName(`${file}.before-restore`);
  try {
    copyFileSync(file, damagedFile);
  } catch (error) {
    rmSync(damagedFile, { force: true });
    throw error;
  }
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${damagedFile}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(copy, file);
  flushFolder(dirname(file));
  return damagedFile;
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}.${number}`;
    if (!existsSync(free)) return free;
  }
}
