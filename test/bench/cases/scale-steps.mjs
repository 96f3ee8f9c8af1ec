import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { program } from "../processes.mjs";

/**
 * One thing that is done to a database of each size.
 *
 * @typedef {object} Step
 * @property {string} what
 * @property {(run: number) => string[]} words of the command line
 * @property {number} [runs] the median counts
 * @property {number} [may] another exit code than 0 that it ends with
 */

/** A file of so many contacts, in the order of their phones no more than any such file is. */
function writeContacts(file, count) {
  const descriptor = openSync(file, "w");
  writeSync(descriptor, "phone,first_name,birth_date\n");
  for (let from = 0; from < count; from += 10_000) {
    const lines = [];
    for (let at = from; at < Math.min(count, from + 10_000); at += 1) {
      const phone = `+4471${String((at * 7_654_321) % 100_000_000).padStart(8, "0")}`;
      lines.push(`${phone},Ada,19${40 + (at % 60)}-0${1 + (at % 9)}-1${at % 10}\n`);
    }
    writeSync(descriptor, lines.join(""));
  }
  closeSync(descriptor);
}

const wanted = `sender_ids:
  - name: Wanted
    purpose: To be found missing
groups:
  - name: A group that no seed makes
    send_birthday: true
`;

/**
 * Everything, in an order in which nothing takes away what is needed later.
 *
 * @param {string} folder @param {number} size groups
 * @returns {{ file: string, steps: Step[] }}
 */
export function stepsOf(folder, size) {
  const file = join(folder, `${size}.db`);
  const contacts = join(folder, "contacts.csv");
  const manifest = join(folder, "wanted.yaml");
  const backup = join(folder, `${size}.backup`);
  writeContacts(contacts, size);
  writeFileSync(manifest, wanted);
  const on = (words, database = file) => [program, ...words, "--database", database];
  const always =
    (...words) =>
    () =>
      on(words);
  const last = String(Math.floor(size / 15));
  const middle = String(Math.ceil(size / 30));
  const imported = String(size + 1);
  const few = { runs: 7 };
  const all = ["group", "list", "--all", "-o"];
  return {
    file,
    steps: [
      {
        what: "local seed: groups, 5 contacts each",
        words: always(
          "local",
          "seed",
          "--random-seed",
          "1",
          "--groups",
          String(size),
          "--contacts",
          String(5 * size),
          "--sender-ids",
          String(size / 10),
        ),
      },
      { what: "group create", words: always("group", "create", "Scale", "--json"), ...few },
      { what: "group fetch", words: always("group", "fetch", middle, "--json"), ...few },
      {
        what: "group update",
        words: (run) => on(["group", "update", middle, "--name", `Scale ${run}`, "--json"]),
        ...few,
      },
      { what: "group list, page 1", words: always("group", "list", "--json"), ...few },
      {
        what: "group list, last page",
        words: always("group", "list", "--page", last, "--json"),
        ...few,
      },
      {
        what: "group list, the page in the middle",
        words: always("group", "list", "--page", middle, "--json"),
        ...few,
      },
      {
        what: "group delete",
        words: (run) => on(["group", "delete", String(size + 2 + run), "--yes", "--json"]),
        runs: 5,
      },
      {
        what: "sender-id create",
        words: (run) => on(["sender-id", "create", `Scale ${run}`, "--purpose", "Scale", "--json"]),
        ...few,
      },
      { what: "sender-id fetch", words: always("sender-id", "fetch", "Scale 3", "--json"), ...few },
      { what: "sender-id list, page 1", words: always("sender-id", "list", "--json"), ...few },
      {
        what: "sender-id delete",
        words: (run) => on(["sender-id", "delete", `Scale ${run}`, "--yes", "--json"]),
        ...few,
      },
      {
        what: "local contact import, as many as groups into one",
        words: always("local", "contact", "import", imported, contacts, "--json"),
      },
      {
        what: "local contact list --all -o csv, of that group",
        words: always("local", "contact", "list", imported, "--all", "-o", "csv"),
      },
      ...["jsonl", "csv", "id", "table", "json"].map((format) => ({
        what: `group list --all -o ${format}`,
        words: always(...all, format),
      })),
      { what: "export", words: always("export") },
      { what: "diff, with a manifest of two", words: always("diff", "-f", manifest), may: 12 },
      {
        what: "local birthdays, of one day",
        words: always("local", "birthdays", "--on", "2026-03-14", "-o", "jsonl"),
      },
      { what: "local info", words: always("local", "info", "--json") },
      { what: "local check", words: always("local", "check") },
      { what: "local backup", words: always("local", "backup", backup) },
      {
        what: "local restore",
        words: () => on(["local", "restore", backup, "--yes"], join(folder, `${size}.restored`)),
      },
      {
        what: "group delete, of the group with the imported",
        words: always("group", "delete", imported, "--yes", "--json"),
      },
    ],
  };
}
