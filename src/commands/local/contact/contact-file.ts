import type { ContactColumn, ContactLine } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";

/** Limit of a record in characters. A longer one usually means that a quote is missing. */
export const maxRecordSize = 64 * 1024;

/** A file of contacts whose header is read. */
export interface ContactFile {
  readonly columns: readonly ContactColumn[];
  /** Names of the columns that are not used. */
  readonly ignored: readonly string[];
  /** The header of a file of rejected records. */
  readonly header: readonly string[];
  /** Before the header of such a file: a byte order mark and `sep=;`, as far as the file has them. */
  readonly beginning: string;
  /** Between the cells of such a file. */
  readonly delimiter: string;
  /** The records, in batches of one or more. */
  readonly lines: AsyncIterable<readonly ContactLine[]>;
  readonly noun: "line" | "card";
}

/** What the command line says of the file. */
export interface Given {
  /** The file name in errors. */
  readonly name: string;
  /** The values of `--column`. */
  readonly columns: readonly string[];
  /** The beginning of the command line, for hints. */
  readonly command: string;
}

/** Returns the error for a file that cannot be imported. @param problem the predicate */
export function refused(
  name: string,
  problem: string,
  hint: string,
  cause?: unknown,
): SendctlError {
  return new SendctlError("usage", `${name} ${problem}`, { hint, cause });
}
