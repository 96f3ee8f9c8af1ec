import { reworded, SendctlError } from "../../core/error.ts";
import { utf8Text } from "../../core/files.ts";
import { plainWord } from "../../core/text.ts";
import { standardInput, type SeveralOptions } from "../arguments.ts";
import type { Capabilities } from "../context.ts";

/** In bytes: longer input is not a list of records. */
const maxInputBytes = 64 * 1024 * 1024;

/**
 * Returns the words that name records, with `-` replaced by those on standard input: one per line, or
 * separated by NUL. Empty lines are skipped.
 *
 * @param check throws SendctlError for a word that cannot be used
 * @throws SendctlError "usage" for input that is too long or not UTF-8, and for such a line, with its number
 */
export async function readWords(
  input: Capabilities["input"],
  given: readonly string[],
  options: SeveralOptions,
  check: (word: string) => void = () => {},
): Promise<readonly string[]> {
  if (!given.includes(standardInput)) return given;
  const hint = "pass one record per line in UTF-8, or separate them by NUL with -0";
  const text = utf8Text(await input.read(maxInputBytes), maxInputBytes, "standard input", hint);
  const lines = text.split(options.null ? "\0" : /\r\n?|\n/);
  const words = lines.map((word) => (options.null ? word : plainWord(word)));
  const read = words.filter((word, index) => {
    if (word !== "") checkLine(word, index + 1, check);
    return word !== "";
  });
  return given.flatMap((word) => (word === standardInput ? read : [word]));
}

/** Checks a line of standard input. @throws the error of the check, with the number of the line */
function checkLine(word: string, line: number, check: (word: string) => void): void {
  try {
    check(word);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    throw reworded(error, `standard input, line ${line}: ${error.message}`);
  }
}
