import { stoppedBy } from "../../../core/error.ts";
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileBeside, moveIntoPlace } from "../../../core/own-file.ts";

/**
 * Creates a file that is complete or does not exist: it is filled under a temporary name beside it, flushed, and renamed.
 * Only its owner can read it. What killed commands have left of this kind is removed.
 *
 * @param replaces whether an existing file may be replaced
 * @param fill gets the path of an empty file, and closes it
 * @throws the error of `fill` or of the file system: EEXIST if the name is taken and `replaces` is false
 */
export async function createBeside<Result>(
  file: string,
  kind: "restore" | "backup" | "copy",
  replaces: boolean,
  fill: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = fileBeside(file, kind);
  try {
    closeSync(openSync(path, "wx", 0o600));
    const result = await fill(path);
    flush(path);
    moveIntoPlace(path, file, replaces);
    flushFolder(dirname(file));
    return result;
  } finally {
    for (const ending of ["", "-wal", "-shm", "-journal"]) {
      rmSync(`${path}${ending}`, { force: true });
    }
  }
}

/**
 * Throws once the process has been asked to stop. Signals that arrived while SQLite was busy get time to be delivered;
 * the current turn of the event loop may be past that point, hence two.
 *
 * @throws SendctlError "cancelled" or "terminated"
 */
export async function throwIfStopped(signal: AbortSignal): Promise<void> {
  await setImmediate();
  await setImmediate();
  if (!signal.aborted) return;
  throw stoppedBy(signal.reason, "Interrupted: nothing was changed");
}

/** Flushes a file to the disk. Not for a file that SQLite has open in this process. */
export function flush(path: string): void {
  // Windows flushes only a file that is open for writing.
  flushOpened(path, "r+");
}

function flushOpened(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Flushes a folder to the disk, so that new names in it are durable. Some systems do not support
 * that.
 */
function flushFolder(folder: string): void {
  try {
    flushOpened(folder, "r");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(code)) throw error;
  }
}
