import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendctlError } from "../contract/error.ts";

/** A place for a file, in a folder that only its owner may enter. */
interface TemporaryFolder {
  readonly file: string;
  /** Takes the folder away, with all that is in it. */
  readonly remove: () => Promise<void>;
}

/** @throws SendctlError "usage" where none can be made */
export async function makeTemporaryFolder(name: string): Promise<TemporaryFolder> {
  try {
    const folder = await mkdtemp(join(tmpdir(), "sendctl-"));
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    return { file: join(folder, name), remove };
  } catch (error) {
    throw new SendctlError("usage", `cannot create a folder in ${tmpdir()}`, {
      hint: "set TMPDIR to a folder that you may write to",
      setting: "TMPDIR",
      cause: error,
    });
  }
}
