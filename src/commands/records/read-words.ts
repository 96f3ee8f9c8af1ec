import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { standardInput, type SeveralOptions } from "../arguments.ts";

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
  const read = await readInput(input, options);
  return given.flatMap((word) => (word === standardInput ? read : [word]));
}

async function readInput(
  input: Capabilities["input"],
  { null: isNul = false }: SeveralOptions,
): Promise<readonly string[]> {
  const bytes = await input.read(maxInputBytes);
  if (bytes.length > maxInputBytes) throw unreadable("is longer than 64 MiB");
  const text = decode(bytes);
  return text.split(isNul ? "\0" : /\r?\n/).filter((word) => word !== "");
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable("is not UTF-8");
  }
}

function unreadable(why: string): SendctlError {
  return new SendctlError("usage", `standard input ${why}`, {
    hint: "pass one record per line, or separate them by NUL with -0",
  });
}
