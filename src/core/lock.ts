import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { hostname, uptime } from "node:os";
import { kill, pid, getBuiltinModule, platform } from "node:process";
import { SendctlError } from "./error.ts";
import { readOwnFile } from "./own-file.ts";

/** Average time between two attempts to take a lock, in milliseconds. */
const pause = 50;

/** Milliseconds between two signs of life of an owner. */
const heartbeat = 1000;

/**
 * Milliseconds without a sign of life after which an owner counts as dead that cannot be asked: on another host, whose
 * clock may differ, or in another container of this host.
 */
const staleAfter = { host: 60_000, container: 5 * heartbeat };

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
  wait: (milliseconds: number) => Promise<void>,
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
 * Takes an exclusive lock that may be held for hours. Its owner keeps it while its process exists, also one that is
 * suspended, as by Ctrl-Z.
 *
 * @param timeout total time to wait, in milliseconds
 * @param wait takes milliseconds
 * @returns a function that releases it; undefined if another process has held it for the whole timeout
 */
export async function holdLock(
  file: string,
  timeout: number,
  wait: (milliseconds: number) => Promise<void>,
): Promise<(() => void) | undefined> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const release = tryLock(file);
    if (release !== undefined || performance.now() > deadline) return release;
    removeStale(file);
    // Random, so that waiting processes do not try at the same time.
    await wait(pause * (0.5 + Math.random()));
  }
}

/** Creates the lock file, and returns a function that releases it; undefined if it exists. */
function tryLock(file: string): (() => void) | undefined {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      writeSync(descriptor, ownerText());
    } catch (error) {
      // The disk is full.
      closeSync(descriptor);
      rmSync(file, { force: true });
      throw error;
    }
    const { ino } = fstatSync(descriptor);
    const whileHeld = (change: () => void): void => {
      try {
        // Another process may have taken the lock as stale.
        if (statSync(file, { throwIfNoEntry: false })?.ino === ino) change();
      } catch {
        // The folder may have become read-only in the meantime. Other processes judge a lock by its age and its owner.
      }
    };
    const touch = (): void => utimesSync(file, new Date(), new Date());
    const timer = setInterval(() => whileHeld(touch), heartbeat).unref();
    return () => {
      clearInterval(timer);
      whileHeld(() => rmSync(file, { force: true }));
      // The inode number cannot be reused while the file is open.
      closeSync(descriptor);
    };
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
  if (found === undefined) return;
  const owner = ownerOf(file);
  // After the clock was set back, the time of the lock can be in the future.
  const silence = Math.abs(Date.now() - found.mtimeMs);
  // Where start times are unknown, another process may have the number of the owner after a restart of the system.
  const isOlderThanSystem = found.mtimeMs < Date.now() - uptime() * 1000;
  if (owner === "alive" ? !isOlderThanSystem : owner !== "dead" && silence < staleAfter[owner])
    return;
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

/** Returns the content of a file that this process owns: see `ownerOf`. */
export function ownerText(): string {
  return `${pid}\n${startOf(pid) ?? ""}\n${systemName()}`;
}

/** Returns the state of the process that owns a file, or where it is if it cannot be asked. */
export function ownerOf(file: string): "alive" | "dead" | "container" | "host" {
  const [id = "", started, system = ""] = readOwnFile(file, { maxBytes: 1024 })?.split("\n") ?? [];
  if (!/^[1-9][0-9]*$/.test(id) || !system.startsWith(`${hostname()} `)) return "host";
  if (system !== systemName()) return "container";
  try {
    kill(Number(id), 0);
  } catch (error) {
    // A process of another user exists, too.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "dead";
  }
  // Another process may have its number.
  return (startOf(Number(id)) ?? "") === started ? "alive" : "dead";
}

/** Names the machine, and the container if it has processes of its own. */
export function systemName(): string {
  try {
    return `${hostname()} ${platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""}`;
  } catch {
    return `${hostname()} `;
  }
}

/**
 * Returns when a process started, in the form of the system: another process may get its number.
 *
 * @returns undefined if it is unknown or the process has ended
 */
export function startOf(pid: number): string | undefined {
  try {
    if (platform === "win32") return undefined;
    if (platform !== "linux") return programOutput("lstart", pid);
    // The 22nd field; the second is the name of the program, in parentheses. A zombie has ended.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return "ended";
    // It counts from the start of the system, so another process can have the same after a restart.
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Returns the words of the command line of a process. @throws a system error; on Windows always */
export function wordsOf(pid: number): readonly string[] {
  return platform === "linux"
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    : programOutput("args", pid).split(" ");
}

/** Returns a column of `ps`. */
function programOutput(column: string, pid: number): string {
  const words = ["TZ=UTC", "LC_ALL=C", "ps", "-o", `${column}=`, "-p", String(pid)];
  // Loaded late: Linux does not need it.
  const { execFileSync } = getBuiltinModule("node:child_process");
  return execFileSync("env", words, { encoding: "utf8" }).trim();
}
