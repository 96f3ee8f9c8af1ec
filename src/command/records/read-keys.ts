import type { Capabilities } from "../capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import type { RecordIdentity } from "../../contract/service.ts";
import { utf8Text } from "../../core/open-input.ts";
import {
  isGroupName,
  refuseInvalidKey,
  standardInput,
  type RecordChoice,
  type SeveralOptions,
} from "../arguments.ts";
import type { Failure, NamedRecord } from "./attempt-each.ts";
import { groupsNamed, onlyGroup, type FoundKey } from "./group-names.ts";

/**
 * Returns the records named on the command line. `-` reads more from standard input, one per line or separated
 * by NUL. Empty lines are skipped.
 *
 * @param name as in the help: `NAME`, `GROUP`
 * @throws SendctlError "usage" for a key that cannot be part of a URL and for a name shared by several groups
 */
export async function readKeys(
  context: Pick<Capabilities, "ask" | "config" | "input">,
  given: readonly string[],
  name: string,
  choice: RecordChoice,
  options: SeveralOptions,
): Promise<readonly NamedRecord[]> {
  const words = await readWords(context.input, given, options);
  for (const word of words) refuseInvalidKey(word, name);
  const names = words.filter((word) => isGroupName(word, choice));
  if (names.length === 0) return words.map((word) => ({ word, key: word }));
  const list = context.ask.list(choice.list);
  const groupsOf = await groupsNamed(names, list, context.config.settings.dryRun);
  return words.map((word) => {
    const groups = groupsOf.get(word);
    return { word, ...(groups === undefined ? { key: word } : groupOrFailure(word, groups)) };
  });
}

/** Removes repeated records, even if named differently. */
export function withoutRepeats(records: readonly NamedRecord[]): readonly NamedRecord[] {
  const seen = new Set<string>();
  return records.filter(({ word, key }) => {
    const { size } = seen;
    return seen.add(typeof key === "string" ? key : `name:${word}`).size > size;
  });
}

/** Returns the failure for an unknown name instead of throwing it, so that the other records are attempted. */
function groupOrFailure(
  word: string,
  groups: readonly RecordIdentity[],
): FoundKey | { readonly key: Failure } {
  try {
    return onlyGroup(word, groups);
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "not_found") return { key: error };
    throw error;
  }
}

/** In bytes: longer input is not a list of records. */
const maxInputBytes = 64 * 1024 * 1024;

/**
 * Returns the words that name records, with `-` replaced by those on standard input: one per line, or
 * separated by NUL. Empty lines are skipped.
 *
 * @throws SendctlError "usage" for input that is too long or not UTF-8
 */
export async function readWords(
  input: Capabilities["input"],
  given: readonly string[],
  options: SeveralOptions,
): Promise<readonly string[]> {
  if (!given.includes(standardInput)) return given;
  const hint = "pass one record per line in UTF-8, or separate them by NUL with -0";
  const text = utf8Text(await input.read(maxInputBytes), maxInputBytes, "standard input", hint);
  const read = text.split(options.null ? "\0" : /\r?\n/).filter((word) => word !== "");
  return given.flatMap((word) => (word === standardInput ? read : [word]));
}
