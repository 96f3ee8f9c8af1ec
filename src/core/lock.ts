import { lstatSync, linkSync, renameSync, rmSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { pid } from "node:process";
import { SendctlError } from "./error.ts";
import { fileBeside, isGone, isTaken, readOwnFile, writeOwnFile } from "./own-file.ts";

/** Milliseconds between two attempts, on average; between an owner's signs of life; without one. */
const pause = 50;
const heartbeat = 1000;
const staleAfter = 60_000;

type Wait = (milliseconds: number) => Promise<void>;

/**
 * Runs an action under an exclusive lock file.
 *
 * @param action synchronous, so that only the death of the process can leave the lock behind
 * @param wait takes milliseconds
 * @throws SendctlError "usage" if other processes hold the lock for too long
 */
export async function withLock<Value>(
  file: string,
  action: () => Value,
  wait: Wait,
): Promise<Value> {
  const release = await holdLock(file, 15_000, wait);
  if (release === undefined) {
    throw new SendctlError("usage", `another sendctl holds the lock ${file}`, {
      hint: "try again, or remove the file if no other sendctl is running",
      file,
    });
  }
  try {
    return action();
  } finally {
    release();
  }
}

/**
 * Takes an exclusive lock that may be held for hours, and touches it every second. Others take it
 * once its process has ended, or has been suspended for a minute.
 *
 * @param timeout total time to wait, in milliseconds
 * @param wait takes milliseconds
 * @returns a function that releases it; undefined if another process held it for the timeout
 */
export async function holdLock(
  file: string,
  timeout: number,
  wait: Wait,
): Promise<(() => void) | undefined> {
  // Unique, so that it is known from another lock of this process.
  const content = `${pid} ${hostname()} ${Math.random()}`;
  const deadline = performance.now() + timeout;
  while (!tryLock(file, content)) {
    if (performance.now() > deadline) return undefined;
    // Random, so that waiting processes do not try at the same time.
    await wait(pause * (0.5 + Math.random()));
  }
  const whileHeld = (change: () => void): void => {
    try {
      if (readOwnFile(file) === content) change();
    } catch {
      // The folder may be read-only by now. Others judge a lock by its age and its owner.
    }
  };
  const touch = (): void => utimesSync(file, new Date(), new Date());
  const timer = setInterval(() => whileHeld(touch), heartbeat).unref();
  return () => {
    clearInterval(timer);
    whileHeld(() => rmSync(file, { force: true }));
  };
}

/** Creates the lock file. Returns false if another process holds it. @throws a system error */
function tryLock(file: string, content: string): boolean {
  removeStale(file);
  if (isTaken(file)) return false;
  try {
    writeOwnFile(file, content, false);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Renames it first, so that only one of several processes succeeds; if the
 * renamed file turns out to be a newer lock, it is restored.
 */
function removeStale(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  const content = readOwnFile(file);
  const [id, host] = content?.split(" ") ?? [];
  // After the clock was set back, the time of the lock can be in the future.
  const isSilent = Math.abs(Date.now() - found.mtimeMs) >= staleAfter;
  if (!isSilent && (host !== hostname() || !isGone(Number(id)))) return;
  const aside = fileBeside(file, "new");
  try {
    renameSync(file, aside);
    if (readOwnFile(aside) !== content) linkSync(aside, file);
  } catch {
    // Another process was faster.
  } finally {
    rmSync(aside, { force: true });
  }
}
