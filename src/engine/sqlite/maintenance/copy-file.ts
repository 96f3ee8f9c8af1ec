import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SendctlError } from "../../../contract/error.ts";
import type { ReportProgress } from "../../maintenance/maintenance.ts";
import { locked, unusable } from "../connection/database-error.ts";
import type { Database } from "../connection/open.ts";

/** How long something goes on: until it is asked to end. */
export interface Copying {
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/** Pages at a time: between two the process can be asked to end. */
const rate = 1024;

/** A name beside a file for what is to take its place, and a file of that name for its owner only. */
export function makeBeside(file: string, kind: string): string {
  const name = `.${basename(file)}.${randomBytes(6).toString("hex")}.${kind}`;
  const beside = join(dirname(file), name);
  closeSync(openSync(beside, "wx", 0o600));
  return beside;
}

export function removeWithLogs(file: string): void {
  for (const ending of ["", "-wal", "-shm", "-journal"])
    rmSync(`${file}${ending}`, { force: true });
}

/** @throws SendctlError "cancelled" or "terminated" once the process is asked to end */
export function refuseStopped({ signal }: Pick<Copying, "signal">): void {
  if (!signal.aborted) return;
  const kind = signal.reason === "SIGTERM" ? "terminated" : "cancelled";
  throw new SendctlError(kind, "Interrupted: nothing was changed");
}

/** A signal that came while SQLite was at work is heard by then: the turn that is under way may not look. */
export async function hearSignals(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/**
 * Copies a database, page by page, as it is when it begins. The reader's transaction holds that state:
 * without one SQLite begins again whenever another process writes, and may never come to an end.
 *
 * @param target a file that nobody else has open
 */
export async function copySnapshot(
  source: Database,
  target: string,
  copying: Copying,
): Promise<void> {
  source.exec("BEGIN");
  try {
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    const copied = await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        copying.report(1 - remainingPages / totalPages);
        refuseStopped(copying);
        return rate;
      },
    });
    if (copied.totalPages === 0) throw new Error(`${target} is in use`);
  } finally {
    source.exec("ROLLBACK");
  }
}

/** Milliseconds between two attempts to get the write lock. */
const pause = 10;

/**
 * Puts all of a database into another that is in use, as one transaction: whoever reads sees the one or
 * the other, and so does who comes after a crash.
 *
 * @param hold called once nobody else can write any more; it may still change the source
 * @param timeout how long to wait for others, in milliseconds
 * @throws SendctlError "database" where others hold the lock for longer
 */
export async function overwrite(
  source: Database,
  target: string,
  hold: () => void,
  timeout: number,
  copying: Copying,
): Promise<void> {
  const deadline = performance.now() + timeout;
  for (;;) {
    let isHeld = false;
    const { totalPages } = await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        if (!isHeld) hold();
        isHeld = true;
        copying.report(1 - remainingPages / totalPages);
        refuseStopped(copying);
        return rate;
      },
    });
    // SQLite says busy, and better-sqlite3 takes that for the end: no page is left of none.
    if (totalPages > 0) return;
    refuseStopped(copying);
    if (performance.now() > deadline) {
      throw unusable(target, locked);
    }
    await new Promise((resolve) => setTimeout(resolve, pause * Math.random()));
  }
}

/** Has the disk hold what was written. Not for a file that SQLite has open in this process. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The same for a folder, so that a name in it stays; some systems have no way to do that. */
export function flushFolder(folder: string): void {
  try {
    flush(folder);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(code)) throw error;
  }
}
