import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { isGroupName, refuseBareKey, type Choosing, type SeveralOptions } from "../arguments.ts";
import type { Failure, NamedRecord } from "./attempt-each.ts";
import { groupIdsOf, onlyId } from "./group-names.ts";
import { readWords } from "./read-words.ts";

/**
 * Returns the records that a command line names. `-` stands for those on standard input.
 *
 * @param name as help has it: `NAME`, `GROUP`
 * @throws SendctlError "usage" for a key that no URL can carry and for the name of several groups
 */
export async function readKeys(
  context: Pick<Capabilities, "ask" | "config" | "input">,
  given: readonly string[],
  name: string,
  choosing: Choosing,
  options: SeveralOptions,
): Promise<readonly NamedRecord[]> {
  const words = await readWords(context.input, given, options);
  for (const word of words) refuseBareKey(word, name);
  const names = words.filter((word) => isGroupName(word, choosing));
  if (names.length === 0) return words.map((word) => ({ word, key: word }));
  const list = context.ask.list(choosing.list);
  const idsOf = await groupIdsOf(names, list, context.config.settings.dryRun);
  return words.map((word) => {
    const ids = idsOf.get(word);
    return { word, key: ids === undefined ? word : idOrFailure(word, ids) };
  });
}

/** Leaves out records that were named before, by whatever name. */
export function withoutRepeats(records: readonly NamedRecord[]): readonly NamedRecord[] {
  const seen = new Set<string>();
  return records.filter(({ word, key }) => {
    const { size } = seen;
    return seen.add(typeof key === "string" ? key : `name:${word}`).size > size;
  });
}

/** A name that no group has fails like the id of no group: the other records are attempted. */
function idOrFailure(word: string, ids: readonly string[]): string | Failure {
  try {
    return onlyId(word, ids);
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "not_found") return error;
    throw error;
  }
}
