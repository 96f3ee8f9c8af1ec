import { cellsOf } from "./row.mjs";

/** The rows of docs/performance.md, in order: what is measured, its baseline if there are several, and words for readers. */
const shown = [
  ["--version", undefined, "`--version`"],
  ["--help", undefined, "`--help`"],
  ["list --json, 15 of 1,000,000", undefined, "a page of 15 of 1,000,000 groups"],
  ["create, durable", undefined, "a create, flushed to the disk"],
  ["remote list --json over loopback", "node -e 0", "a page from a service on the same machine"],
  ["serve until the first connection", undefined, "`serve`, until it accepts a connection"],
  ["50 processes creating database and record at once", undefined, "50 first creates at once"],
  ["list --all -o jsonl, 1,000,000 groups", undefined, "`list --all -o jsonl`, 1,000,000 groups"],
  ["list --all -o csv, 1,000,000 groups", undefined, "`list --all -o csv`, 1,000,000 groups"],
  ["export, 1,000,000 groups", undefined, "`export`, 1,000,000 groups"],
  [
    "local contact import, 1,000,000 contacts",
    undefined,
    "`local contact import`, 1,000,000 contacts",
  ],
  ["serve: fetch by id", undefined, "`serve`: records by id"],
  ["serve: list of 15 of 1,000,000", undefined, "`serve`: pages of 15 of 1,000,000 groups"],
  ["serve: durable create", "one transaction each", "`serve`: creates, flushed to the disk"],
];

export const readersColumns = ["what you wait for", "sendctl", "beside", "which is", "ratio"];

/**
 * Returns the cells of the table for readers, without targets: those are for changes of the code.
 *
 * @param {import("./row.mjs").Row[]} rows
 * @throws if a row was not measured
 */
export function readersRows(rows) {
  return shown.map(([what, against, words]) => {
    const row = rows.find(
      (one) => one.what === what && (against === undefined || one.against === against),
    );
    if (row === undefined)
      throw new Error(`--write needs every family: "${what}" was not measured`);
    const [, ours, base, name, ratio] = cellsOf(row);
    return [words, ours, base, name, ratio];
  });
}
