import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { SendctlError } from "../contract/error.ts";

/** In milliseconds. A lock is held for a few; who holds it longer has been ended. */
const staleAfter = 5000;

/** In milliseconds: how long to wait for the others, in all, and from one look to the next. */
const timeout = 15_000;
const pause = 15;

/**
 * Does something while no other process does, with a file beside what is changed for a lock.
 *
 * @param action what is done; synchronous, so that nothing but the end of the process keeps the lock. It is
 *   handed a check to be made right before what can't be taken back.
 * @param wait fulfilled after so many milliseconds
 * @throws SendctlError "usage" when others hold the lock for too long
 */
export async function withLock<Value>(
  file: string,
  action: (check: () => void) => Value,
  wait: (milliseconds: number) => Promise<void>,
): Promise<Value> {
  // Not by the time of day, which may be set back.
  const deadline = performance.now() + timeout;
  let lock = take(file);
  while (lock === undefined) {
    if (performance.now() > deadline) throw lost(file);
    removeStale(file);
    // By chance, so that those who wait do not all look at once.
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
    // While it is open, no other file can have its number.
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
 * Moved aside first: of several who find it stale, one succeeds. Who comes so late that it is another's new
 * lock puts it back.
 */
function removeStale(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  // A clock that was set back makes it of the future.
  if (found === undefined || Math.abs(Date.now() - found.mtimeMs) < staleAfter) return;
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (statSync(aside).mtimeMs !== found.mtimeMs) linkSync(aside, file);
  } catch {
    // Another was faster.
  } finally {
    rmSync(aside, { force: true });
  }
}
