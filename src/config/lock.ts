import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { SendctlError } from "../contract/error.ts";

/** In milliseconds. A lock is held only for a few; the owner of an older one was killed. */
const staleAfter = 5000;

/** Total time to wait for a lock, in milliseconds. */
const timeout = 15_000;
/** Average time between two attempts, in milliseconds. */
const pause = 15;

/**
 * Runs an action under an exclusive lock file.
 *
 * @param action synchronous, so that only the death of the process can leave the lock behind. Must call `check` right
 *   before anything irreversible; it throws if the lock was lost.
 * @param wait takes milliseconds
 * @throws SendctlError "usage" if other processes hold the lock for too long
 */
export async function withLock<Value>(
  file: string,
  action: (check: () => void) => Value,
  wait: (milliseconds: number) => Promise<void>,
): Promise<Value> {
  // Monotonic, because the system clock can be set back.
  const deadline = performance.now() + timeout;
  let lock = take(file);
  while (lock === undefined) {
    if (performance.now() > deadline) throw lost(file);
    removeStale(file);
    // Random, so that waiting processes do not try at the same time.
    await wait(pause * (0.5 + Math.random()));
    lock = take(file);
  }
  const { descriptor, inode } = lock;
  const isOurs = (): boolean => statSync(file, { throwIfNoEntry: false })?.ino === inode;
  try {
    return action(() => {
      if (!isOurs()) throw lost(file);
    });
  } finally {
    if (isOurs()) rmSync(file, { force: true });
    // The inode number cannot be reused while the file is open.
    closeSync(descriptor);
  }
}

function lost(file: string): SendctlError {
  return new SendctlError("usage", `another sendctl holds the lock ${file}`, {
    hint: "try again, or remove the file if no other sendctl is running",
    file,
  });
}

function take(file: string): { readonly descriptor: number; readonly inode: number } | undefined {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    return { descriptor, inode: fstatSync(descriptor).ino };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return undefined;
  }
}

/**
 * Removes a stale lock. Renames it first, so that only one of several processes succeeds; if the renamed file turns out
 * to be a newer lock, it is restored.
 */
function removeStale(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  // After the clock was set back, the time of the lock can be in the future.
  if (found === undefined || Math.abs(Date.now() - found.mtimeMs) < staleAfter) return;
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (statSync(aside).mtimeMs !== found.mtimeMs) linkSync(aside, file);
  } catch {
    // Another process was faster.
  } finally {
    rmSync(aside, { force: true });
  }
}
