import { open } from "node:fs/promises";
import type { Capabilities } from "../../cli/capabilities.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { emptyValue } from "../arguments.ts";

/** Bytes to read: far more than a behaviour file may have, because a device or a pipe may never end. */
const maxBytes = 1024 * 1024;

/**
 * Reads the file of `--behaviour`.
 *
 * @returns undefined without a file
 * @throws SendctlError "usage" if the file cannot be read, or has errors
 */
export async function behaviourOfFile(
  file: string | undefined,
  { input }: Pick<Capabilities, "input">,
): Promise<PartialBehaviour | undefined> {
  if (file === undefined) return undefined;
  if (file === "") throw emptyValue("--behaviour", "pass a behaviour file");
  const bytes = await contentsOf(file, input.path(file));
  const { readBehaviour } = await import("../../behaviour/read.ts");
  return readBehaviour(bytes, file);
}

/** Reads a file, but no more than its reader needs to report that it is too large. */
async function contentsOf(file: string, path: string): Promise<Uint8Array> {
  try {
    const handle = await open(path);
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of handle.createReadStream({ end: maxBytes, autoClose: false })) {
        chunks.push(chunk as Uint8Array);
      }
      return Buffer.concat(chunks);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SendctlError("usage", `${file} cannot be read (${code})`, {
      hint: code === "ENOENT" ? "check the path" : "check its permissions",
      setting: "--behaviour",
      file,
      cause: error,
    });
  }
}

/** Prints how much the behaviour of a service differs from the engine's own, and where it is from. */
export async function announceBehaviour(
  { output, config }: Pick<Capabilities, "output" | "config">,
  file: string | undefined,
  changed: PartialBehaviour,
): Promise<void> {
  const count = Object.keys(changed).length;
  if (file === undefined && count === 0) return;
  const source = file ?? `profile ${config.settings.profile}`;
  const differ = count === 1 ? "1 switch differs" : `${count === 0 ? "no" : count} switches differ`;
  await output.say(safeText(`Behaviour of ${source}: ${differ} from the engine's own`));
}
