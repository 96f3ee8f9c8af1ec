import { resolve } from "node:path";
import { readBehaviour, sizeLimit } from "./read.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { readFileUpTo } from "../runtime/open-input.ts";

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
  return readBehaviour(await readFileUpTo(name, resolve(folder, name), sizeLimit.bytes), name);
}
