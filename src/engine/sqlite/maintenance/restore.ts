import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../../core/error.ts";
import { makeFolder } from "../../../core/files.ts";
import type {
  PreparedRestore,
  RecordCounts,
  ReportProgress,
} from "../../maintenance/maintenance.ts";
import { connect, refuseReplaced } from "../connection/connect.ts";
import {
  createFileBeside,
  flush,
  flushFolder,
  overwrite,
  removeWithLogs,
  type Copying,
} from "./copy-file.ts";
import { databaseError } from "../connection/database-error.ts";
import { damageOf } from "./integrity.ts";
import { countRecords, databaseInfo } from "./record-counts.ts";
import {
  applicationId,
  migrate,
  openDatabase,
  stepsBehind,
  type Database,
} from "../connection/open.ts";
import { copySource, refuseSource, sourceError, unusableBackup } from "./restore-source.ts";
import { countTurn } from "../connection/mark.ts";

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
  copying: Copying,
): Promise<PreparedRestore> {
  refuseSource(file, source);
  const current = await currentCounts(file);
  const path = existsSync(file) ? realpathSync(file) : file;
  let copy: string | undefined;
  let database: Database | undefined;
  const discard = (): void => {
    database?.close();
    if (copy !== undefined) removeWithLogs(copy);
  };
  try {
    makeFolder(dirname(path));
    copy = createFileBeside(path, "restore");
    await copySource(source, copy, copying);
    const opened = (database = connect(copy));
    const counts = validateCopy(opened, source);
    const copyFile = copy;
    return {
      counts,
      current,
      discard,
      carryOut: async (report) => {
        const damagedFile = await replaceContent(opened, copyFile, path, {
          ...copying,
          report,
        });
        return { database: file, file: source, ...counts, damaged_database: damagedFile ?? null };
      },
    };
  } catch (error) {
    discard();
    throw error instanceof SendctlError ? error : databaseError(error, file);
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
 * Checks a copy and applies pending migrations to it.
 *
 * @throws SendctlError "database" if it is not a valid database of sendctl
 */
export function validateCopy(copy: Database, source: string): RecordCounts {
  const withSourceErrors = <Result>(body: () => Result): Result => {
    try {
      return body();
    } catch (error) {
      throw sourceError(error, source, copy);
    }
  };
  const { behind, damage } = withSourceErrors(() => {
    // The copy is simply created again after a crash.
    copy.pragma("synchronous = OFF");
    copy.pragma("journal_mode = DELETE");
    return { behind: stepsBehind(copy, source), damage: damageOf(copy) };
  });
  const isEmpty = copy.pragma("application_id", { simple: true }) !== applicationId;
  if (isEmpty) throw unusableBackup(source, "not_a_database", "is empty");
  if (damage !== undefined) throw unusableBackup(source, "damaged", `is damaged: ${damage}`);
  return withSourceErrors(() => {
    if (behind > 0) migrate(copy, source);
    return countRecords(copy);
  });
}

/**
 * Replaces the content of the database with the copy.
 *
 * @returns the path of the old database if it was too damaged to be overwritten
 */
async function replaceContent(
  copy: Database,
  copyFile: string,
  file: string,
  copying: Copying & { readonly report: ReportProgress },
): Promise<string | undefined> {
  let live: Database;
  try {
    live = openDatabase(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    copy.close();
    return replaceDamaged(file, copyFile);
  }
  try {
    matchPages(copy, live);
    await overwrite(copy, file, () => continueSequences(copy, live), copying);
    settle(live);
    refuseReplaced(live, file, true);
    return undefined;
  } catch (error) {
    throw databaseError(error, file, live);
  } finally {
    live.close();
  }
}

/**
 * Gives the copy the page size of the live database, because SQLite cannot change the page size of
 * a database in write-ahead mode.
 */
function matchPages(copy: Database, live: Database): void {
  const size = live.pragma("page_size", { simple: true }) as number;
  if (copy.pragma("page_size", { simple: true }) === size) return;
  copy.pragma(`page_size = ${size}`);
  copy.exec("VACUUM");
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

/** How long to wait for readers before giving up truncating the log, in milliseconds. */
const settlingTimeout = 500;

/**
 * Makes the restored database durable: it was written without waiting for the disk, and the next
 * write waits for everything before it. Moves the log into the file unless a reader prevents it.
 */
function settle(live: Database): void {
  try {
    live.prepare(`UPDATE clock SET newest = newest + 1, ${countTurn}`).run();
    live.pragma(`busy_timeout = ${settlingTimeout}`);
    live.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // The database is restored even if this fails.
  }
}

/**
 * Replaces a database that SQLite can no longer open with a valid one. The damaged database is kept
 * beside it, so that its records can still be recovered. Its log is moved along with it, and moved
 * first, because SQLite would apply it to the new file. At every moment the path leads to the
 * damaged or to the new file.
 *
 * @returns the path of the damaged database
 */
export function replaceDamaged(file: string, copy: string): string {
  flush(copy);
  const damagedFile = freeName(`${file}.before-restore`);
  keepAs(file, damagedFile);
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${damagedFile}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(copy, file);
  flushFolder(dirname(file));
  return damagedFile;
}

/** Gives a file a second name or, on file systems without links, copies it. */
function keepAs(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    try {
      copyFileSync(file, name, constants.COPYFILE_EXCL);
      flush(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(name, { force: true });
      throw error;
    }
  }
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}.${number}`;
    if (!existsSync(free)) return free;
  }
}
