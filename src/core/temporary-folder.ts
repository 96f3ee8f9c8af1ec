import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SendctlError } from "./error.ts";
import type { Runtime } from "./runtime.ts";

/** A folder that only its owner may enter, for one file. */
interface TemporaryFolder {
  readonly file: string;
  /** Deletes the folder and everything in it. */
  readonly remove: () => Promise<void>;
}

/**
 * Creates a folder for temporary files, below TMPDIR.
 *
 * @param name name of the file
 * @throws SendctlError "usage" if the folder cannot be created
 */
export async function makeTemporaryFolder(
  name: string,
  { env, folder: current }: Pick<Runtime, "env" | "folder">,
): Promise<TemporaryFolder> {
  // tmpdir() of Node reads the environment of the process, which may differ from the one of the runtime.
  const parent = resolve(current, env["TMPDIR"] || env["TMP"] || env["TEMP"] || "/tmp");
  try {
    const folder = await mkdtemp(join(parent, "sendctl-"));
    // On Windows, a virus scanner may have a file open for a moment.
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
    return { file: join(folder, name), remove };
  } catch (error) {
    throw new SendctlError("usage", `cannot create a folder in ${parent}`, {
      hint: "set TMPDIR to a folder that you may write to",
      setting: "TMPDIR",
      cause: error,
    });
  }
}
