import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../core/error.ts";
import { makeFolder } from "../core/files.ts";
import { readOwnFile, writeOwnFile } from "../core/own-file.ts";
import type { Runtime } from "../core/runtime.ts";
import { holdLock } from "../core/lock.ts";
import { normalized, type Target } from "./target.ts";
import { hashOf } from "./journal.ts";
import { inUserFolder } from "./profiles.ts";

type TargetAndKey = Pick<Target, "baseUrl" | "database" | "secretKey" | "keyCommand">;

/** Maximum time to wait for another apply, in milliseconds. */
const maxWait = 10 * 60_000;

/**
 * Returns the file in which `apply` stores state that services do not show, one for each target and
 * key; undefined without a home folder.
 */
export function targetStateFile(
  { baseUrl, database, secretKey, keyCommand }: TargetAndKey,
  runtime: Pick<Runtime, "env" | "home">,
): string | undefined {
  // Each key has separate records. A key command stands for its key, so it need not run.
  const key = keyCommand === undefined ? (secretKey ?? null) : { command: keyCommand };
  const target = baseUrl === undefined ? database : normalized(baseUrl);
  return inUserFolder("XDG_STATE_HOME", runtime, "apply", `${hashOf([target, key])}.json`);
}

/** A note about a service: that the user was warned, or that a group showed its sender ID. */
type Mark = "warned" | "shows-sender-id";

function markFile(
  mark: Mark,
  { profile, baseUrl }: Pick<Target, "profile" | "baseUrl">,
  runtime: Pick<Runtime, "env" | "home">,
): string | undefined {
  if (profile === undefined) return undefined;
  return inUserFolder("XDG_STATE_HOME", runtime, mark, hashOf([profile, baseUrl]));
}

/**
 * Remembers something of a service. Returns whether it was not known yet: without a profile, or a
 * state folder to write to, it never is.
 */
export function isFirst(...marked: Parameters<typeof markFile>): boolean {
  const file = markFile(...marked);
  if (file === undefined) return true;
  try {
    makeFolder(dirname(file));
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

/** Returns whether something of a service is remembered. */
export function isMarked(...marked: Parameters<typeof markFile>): boolean {
  const file = markFile(...marked);
  return file !== undefined && existsSync(file);
}

/**
 * Replaces a state file, of which readers see the old or the new content. Needs the lock.
 *
 * @param text undefined to remove the file
 * @throws a system error if the file cannot be changed
 */
export function writeState(file: string, text: string | undefined): void {
  if (text === undefined) rmSync(file, { force: true });
  else if (text !== readOwnFile(file)) {
    makeFolder(dirname(file));
    writeOwnFile(file, text);
  }
}

/**
 * Takes the lock of a state file, which one `apply` at a time holds.
 *
 * @param waiting called once if another process holds the lock
 * @param sleep takes milliseconds
 * @returns a function that releases it
 * @throws SendctlError "differences" if another process holds it for too long, or a system error
 */
export async function lockState(
  file: string,
  waiting: () => Promise<void>,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<() => void> {
  makeFolder(dirname(file));
  const lock = `${file}.lock`;
  let reported: Promise<void> | undefined;
  const release = await holdLock(lock, maxWait, async (milliseconds) => {
    await (reported ??= waiting());
    await sleep(milliseconds);
  });
  if (release !== undefined) return release;
  throw new SendctlError("differences", "another apply is still running; nothing was changed", {
    hint: `try again later, or remove ${lock} if no other apply is running`,
  });
}
