import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeContacts } from "../../support/contacts-file.mjs";
import { program } from "../processes.mjs";

/**
 * A command that is run on a database of each size.
 *
 * @typedef {object} Step
 * @property {string} what
 * @property {(run: number) => string[]} arguments of Node
 * @property {number} [runs] number of runs (default: 1); the median is reported
 * @property {number} [acceptedExitCode] exit code that is accepted besides 0
 */

const wanted = `sender_ids:
  - name: Wanted
    purpose: Missing in the database
groups:
  - name: A group that is missing
    send_birthday: true
`;

/**
 * Returns all steps, in an order in which no step removes what a later one needs.
 *
 * @param {string} folder @param {number} size number of groups
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
        what: "group list, middle page",
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
        what: "local contact import, one contact per group of the database",
        words: always("local", "contact", "import", imported, contacts, "--json"),
      },
      {
        what: "local contact list --all -o csv, all imported contacts",
        words: always("local", "contact", "list", imported, "--all", "-o", "csv"),
      },
      ...["jsonl", "csv", "id", "table", "json"].map((format) => ({
        what: `group list --all -o ${format}`,
        words: always(...all, format),
      })),
      { what: "export", words: always("export") },
      {
        what: "diff, manifest of two records",
        words: always("diff", "-f", manifest),
        acceptedExitCode: 12,
      },
      {
        what: "local birthdays, one day",
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
        what: "group delete, with all imported contacts",
        words: always("group", "delete", imported, "--yes", "--json"),
      },
    ],
  };
}
