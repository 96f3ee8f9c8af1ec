import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { readBehaviour, sizeLimit } from "./read.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { SendctlError } from "../contract/error.ts";

/**
 * Reads a behaviour file, or standard input for `-`.
 *
 * @param folder base of a relative name
 * @param readInput reads standard input; stops after more than `limit` bytes
 * @throws SendctlError "usage" for an unreadable or invalid file
 */
export async function readBehaviourFile(
  name: string,
  folder: string,
  readInput: (limit: number) => Promise<Uint8Array>,
): Promise<PartialBehaviour> {
  if (name === "-") return readBehaviour(await readInput(sizeLimit.bytes), "<stdin>");
  return readBehaviour(await bytesOf(name, resolve(folder, name)), name);
}

/** Returns the bytes of a file, and not many more than the limit. */
async function bytesOf(name: string, path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      // A read from a pipe can be short; only an empty one is the end.
      while (length <= sizeLimit.bytes) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(sizeLimit.bytes));
        if (bytesRead === 0) break;
        chunks.push(buffer.subarray(0, bytesRead));
        length += bytesRead;
      }
      return Buffer.concat(chunks);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SendctlError("usage", `${name} cannot be read (${code})`, {
      hint: code === "ENOENT" ? "check the path" : "check its permissions",
      file: name,
      cause: error,
    });
  }
}
