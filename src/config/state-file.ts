import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { withoutTrailingSlashes } from "../contract/text/trailing-slashes.ts";
import { renameOver } from "../runtime/rename-over.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { withLock } from "./lock.ts";
import type { Target } from "./target.ts";

/** Maximum size in bytes. sendctl does not write larger files. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Returns the file in which `apply` stores state that services do not show, one for each target and key; undefined
 * without a home folder. A relative XDG_STATE_HOME is ignored, as its specification requires.
 */
export function applyStateFile(
  {
    baseUrl,
    database,
    secretKey,
    keyCommand,
  }: Pick<Target, "baseUrl" | "database" | "secretKey"> & Partial<Pick<Target, "keyCommand">>,
  { env, home }: Pick<Runtime, "env" | "home">,
): string | undefined {
  const set = env["XDG_STATE_HOME"];
  const isSet = set !== undefined && isAbsolute(set);
  if (!isSet && !isAbsolute(home)) return undefined;
  const folder = isSet ? set : join(home, ".local", "state");
  // Each key has separate records. A key command stands for its key, so that it does not have to run.
  const key = keyCommand === undefined ? (secretKey ?? null) : { command: keyCommand };
  const target = JSON.stringify([
    baseUrl === undefined ? database : withoutTrailingSlashes(baseUrl),
    key,
  ]);
  const hash = createHash("sha256").update(target).digest("hex").slice(0, 32);
  return join(folder, "sendctl", "apply", `${hash}.json`);
}

/** Returns the content of a state file; undefined if it is missing or unreadable. */
export function readState(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // Reading from a named pipe would block.
    if (found === undefined || !found.isFile() || found.size > maxBytes) return undefined;
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Changes a state file under a lock. Readers see the old or the new content.
 *
 * @param change returns the new content; undefined to remove the file
 * @param wait takes milliseconds
 * @throws a system error or SendctlError "usage" if the file cannot be changed
 */
export async function changeState(
  file: string,
  change: (text: string | undefined) => string | undefined,
  wait: (milliseconds: number) => Promise<void>,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await withLock(
    `${file}.lock`,
    (check) => {
      const text = readState(file);
      const changed = change(text);
      if (changed === undefined) rmSync(file, { force: true });
      else if (changed !== text) replace(file, changed, check);
    },
    wait,
  );
}

function replace(file: string, text: string, check: () => void): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    const descriptor = openSync(fresh, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    check();
    renameOver(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
