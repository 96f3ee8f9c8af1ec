import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getuid } from "node:process";
import { SendctlError } from "./error.ts";
import { ownerOf, ownerText } from "./lock.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Creates a folder for temporary files, below TMPDIR, that only its owner may enter.
 *
 * @param name name of the file
 * @returns the path of the file, and a function that deletes the folder and everything in it
 * @throws SendctlError "usage" if the folder cannot be created
 */
export function makeTemporaryFolder(
  name: string,
  { env, folder: current }: Pick<Runtime, "env" | "folder">,
) {
  // tmpdir() of Node reads the environment of the process, which may differ from the one of the runtime.
  const parent = resolve(current, env["TMPDIR"] || env["TMP"] || env["TEMP"] || "/tmp");
  try {
    const folder = mkdtempSync(join(parent, "sendctl-"));
    // On Windows, a virus scanner may have a file open for a moment.
    const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    return { file: join(folder, name), remove };
  } catch (error) {
    throw unusable(parent, error);
  }
}

function unusable(parent: string, cause: unknown): SendctlError {
  const hint = "set TMPDIR to a folder that you may write to";
  const { code } = cause as NodeJS.ErrnoException;
  const message = `cannot create a folder in ${parent} (${code})`;
  return new SendctlError("usage", message, { hint, field: "TMPDIR", cause });
}

/** The file that names the process of a folder. */
const ownerFile = "owner";

/**
 * Creates such a folder for this process, and removes those that killed processes of this user have left.
 *
 * @throws SendctlError "usage" if it cannot be created
 */
export function makeOwnFolder(name: string, runtime: Pick<Runtime, "env" | "folder">) {
  const { file, remove } = makeTemporaryFolder(name, runtime);
  const folder = dirname(file);
  try {
    writeFileSync(join(folder, ownerFile), ownerText(), { mode: 0o600 });
  } catch (error) {
    remove();
    throw unusable(dirname(folder), error);
  }
  removeAbandoned(dirname(folder));
  return { file, remove };
}

function removeAbandoned(parent: string): void {
  for (const name of namesIn(parent)) {
    if (!/^sendctl-[A-Za-z0-9]{6}$/.test(name)) continue;
    const folder = join(parent, name);
    try {
      const { uid } = lstatSync(folder);
      const isOwn = uid === (getuid?.() ?? uid);
      if (isOwn && ownerOf(join(folder, ownerFile)) === "dead") {
        rmSync(folder, { recursive: true, force: true });
      }
    } catch {
      // Its process, or another one, has just removed it.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It may be one that may be written and not listed.
    return [];
  }
}
