import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { hostname, uptime } from "node:os";
import { kill, pid } from "node:process";
import { SendctlError } from "./error.ts";

/** An exclusive lock file that this process holds. */
interface Lock {
  /** Returns whether no other process has taken the lock as stale. */
  readonly isHeld: () => boolean;
  readonly release: () => void;
}

/** How to wait for a lock. Times are in milliseconds. */
interface Waiting {
  /** Age of a lock file whose owner counts as dead. */
  readonly staleAfter: number;
  /** Whether a lock of that age belongs to its owner if that is a living process of this host (default: false). */
  readonly isKeptByOwner?: boolean;
  /** Total time to wait. */
  readonly timeout: number;
  /** Average time between two attempts. */
  readonly pause: number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

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
  // The action takes only a few milliseconds.
  const lock = await takeLock(file, { staleAfter: 5000, timeout: 15_000, pause: 15, wait });
  if (lock === undefined) throw lost(file);
  try {
    return action(() => {
      if (!lock.isHeld()) throw lost(file);
    });
  } finally {
    lock.release();
  }
}

/**
 * Takes an exclusive lock that may be held for hours. Its owner keeps it while its process exists, also one that is
 * suspended, as by Ctrl-Z.
 *
 * @returns a function that releases it; undefined if another process has held it for the whole timeout
 */
export async function holdLock(
  file: string,
  waiting: Pick<Waiting, "timeout" | "wait">,
): Promise<(() => void) | undefined> {
  const lock = await takeLock(file, {
    ...waiting,
    staleAfter: 60_000,
    isKeptByOwner: true,
    pause: 200,
  });
  if (lock === undefined) return undefined;
  const touch = (): void => {
    const now = new Date();
    // A file that was removed needs no date.
    if (lock.isHeld()) utimesSync(file, now, now);
  };
  const timer = setInterval(() => attempt(touch), 5000).unref();
  return () => {
    clearInterval(timer);
    attempt(lock.release);
  };
}

/** Ignores errors of the file system: other processes judge a lock by its age and its owner. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // The folder may have become read-only or unreachable in the meantime.
  }
}

async function takeLock(
  file: string,
  { staleAfter, isKeptByOwner = false, timeout, pause, wait }: Waiting,
): Promise<Lock | undefined> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined || performance.now() > deadline) return lock;
    removeStale(file, staleAfter, isKeptByOwner);
    // Random, so that waiting processes do not try at the same time.
    await wait(pause * (0.5 + Math.random()));
  }
}

function lost(file: string): SendctlError {
  return new SendctlError("usage", `another sendctl holds the lock ${file}`, {
    hint: "try again, or remove the file if no other sendctl is running",
    file,
  });
}

/** Creates the lock file; returns undefined if it exists. */
function tryLock(file: string): Lock | undefined {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    writeSync(descriptor, `${pid} ${hostname()}`);
    const { ino } = fstatSync(descriptor);
    const isHeld = (): boolean => statSync(file, { throwIfNoEntry: false })?.ino === ino;
    const release = (): void => {
      if (isHeld()) rmSync(file, { force: true });
      // The inode number cannot be reused while the file is open.
      closeSync(descriptor);
    };
    return { isHeld, release };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return undefined;
  }
}

/**
 * Removes a stale lock. Renames it first, so that only one of several processes succeeds; if the renamed file turns out
 * to be a newer lock, it is restored.
 */
function removeStale(file: string, staleAfter: number, isKeptByOwner: boolean): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  // After the clock was set back, the time of the lock can be in the future.
  const isOld = Math.abs(Date.now() - found.mtimeMs) >= staleAfter;
  const owner = ownerOf(file);
  // After a restart of the system, another process may have the number of the owner.
  const isKept = isKeptByOwner && owner === "alive" && found.mtimeMs > Date.now() - uptime() * 1000;
  if (owner !== "dead" && (!isOld || isKept)) return;
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

/** Returns the state of the process that owns a lock; "unknown" for a process of another host. */
function ownerOf(file: string): "alive" | "dead" | "unknown" {
  try {
    const [id = "", host] = readFileSync(file, "utf8").split(" ");
    if (host !== hostname() || !/^[1-9][0-9]*$/.test(id)) return "unknown";
    kill(Number(id), 0);
    return "alive";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A process of another user exists, too.
    if (code === "EPERM") return "alive";
    return code === "ESRCH" ? "dead" : "unknown";
  }
}
