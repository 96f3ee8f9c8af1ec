import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import type { RejectedLine } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { fileHint } from "../../../core/files.ts";
import { fileBeside, isTaken, moveIntoPlace } from "../../../core/own-file.ts";
import { csvRow } from "../../../output/formats/csv.ts";
import type { ContactFile } from "./contact-file.ts";
import { reasonColumn } from "./csv-header.ts";

/** The file of `--rejected`: the lines that were skipped, as they were, with a column for the reason. */
export interface RejectedFile {
  /** Adds lines. The first ones create the file. @throws SendctlError "usage" if it cannot be written */
  readonly add: (lines: readonly RejectedLine[]) => void;
  /** Flushes the file and gives it its name. Returns the number of its lines. */
  readonly keep: () => number;
  /** Closes the file, and removes it unless it was kept. */
  readonly close: () => void;
}

/**
 * Creates the file of rejected lines, which never replaces another.
 *
 * @param name as the user wrote it
 * @param from the file that the lines are from
 * @throws SendctlError "usage" if something has that name
 */
export function createRejectedFile(
  name: string,
  path: string,
  { header, beginning, delimiter }: ContactFile,
): RejectedFile {
  const failure = (error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === "EEXIST" ? `${name} exists` : `${name} cannot be written (${code})`;
    const hint = code === "EEXIST" ? "choose another name for --rejected" : fileHint(error);
    return new SendctlError("usage", message, { hint, setting: "--rejected", cause: error });
  };
  const written = <Result>(write: () => Result): Result => {
    try {
      return write();
    } catch (error) {
      throw failure(error);
    }
  };
  if (isTaken(path)) throw failure({ code: "EEXIST" });
  // Under its own name only when it is complete.
  const fresh = fileBeside(path, "new");
  // The reason of an earlier import is replaced, unless the line may have another cell in its place.
  const old = header.indexOf(reasonColumn);
  const withReason = (cells: readonly string[], reason: string): string => {
    const replaced =
      cells.length === header.length ? [] : cells.filter((_, place) => place === old);
    const own = cells.filter((_, place) => place !== old);
    // First, so that a line keeps its place below the header, and its number of cells.
    return csvRow([[reason, ...replaced].join("; "), ...own], delimiter);
  };
  let file: number | undefined;
  let count = 0;
  return {
    add: (lines) =>
      written(() => {
        const head = file === undefined ? beginning + withReason(header, reasonColumn) : "";
        file ??= openSync(fresh, "wx", 0o600);
        count += lines.length;
        const rows = lines.map(({ line, diagnostics }) =>
          withReason(line.row ?? line.cells, diagnostics.map(reasonOf).join("; ")),
        );
        writeFileSync(file, head + rows.join(""));
      }),
    keep: () =>
      written(() => {
        if (file === undefined) return 0;
        fsyncSync(file);
        moveIntoPlace(fresh, path, false);
        return count;
      }),
    close: () => {
      if (file === undefined) return;
      closeSync(file);
      rmSync(fresh, { force: true });
    },
  };
}

function reasonOf({ field, reason }: RejectedLine["diagnostics"][number]): string {
  return field === null ? reason : `${field} ${reason}`;
}
