import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { parse } from "yaml";
import { runAtTerminal, test, type Home, type Outcome } from "../support/home.ts";

/** Placeholder for the path of a file in the home. */
const csv = "contacts.csv";

/** Commands with output, in an order in which each succeeds. */
const commands: readonly (readonly string[])[] = [
  ["sender-id", "create", "New", "--purpose", "Orders"],
  ["sender-id", "list"],
  ["sender-id", "list", "--all"],
  ["sender-id", "fetch", "ACME"],
  ["sender-id", "wait", "ACME", "--for", "PENDING"],
  ["sender-id", "delete", "ACME", "--yes"],
  ["group", "create", "New"],
  ["group", "list"],
  ["group", "list", "--all"],
  ["group", "fetch", "1"],
  ["group", "update", "1", "--name", "Other"],
  ["group", "preview", "1"],
  ["local", "integration", "create", "shop"],
  ["local", "integration", "list"],
  ["local", "key", "create"],
  ["local", "key", "list"],
  ["local", "info"],
  ["local", "check"],
  ["local", "backup", "copy.db", "--force"],
  ["local", "restore", "copy.db", "--yes"],
  ["local", "contact", "import", "1", csv],
  ["local", "contact", "list", "1"],
  ["local", "contact", "list", "1", "--all"],
  ["local", "birthdays"],
  ["local", "review", "Reviewed", "--status", "APPROVED"],
  ["local", "log"],
  ["local", "seed", "--groups", "2", "--contacts", "5"],
  ["profile", "list"],
  ["profile", "show"],
  ["group", "delete", "1", "--yes"],
  ["doctor"],
];

async function stock(home: Home): Promise<void> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
  await home.run(["sender-id", "create", "Reviewed", "--purpose", "Orders"]);
  const logged =
    '{"time":"2026-01-31T08:00:00.000Z","method":"GET","path":"/healthz","status":200}';
  await writeFile(`${home.database}.log`, `${logged}\n`);
  await home.run(["group", "create", "Friends", "--birthday-message", "Hi {first_name}"]);
  await home.run(["local", "key", "create"]);
  await writeFile(join(home.folder, csv), "phone,first_name\n+447911123456,Ada\n");
}

/** Returns whether stdout is invalid in a format. */
const checks: Readonly<Record<string, (stdout: string) => boolean>> = {
  json: (stdout) => {
    const { status, message } = JSON.parse(stdout) as { status: unknown; message: unknown };
    return status !== true || typeof message !== "string" || !stdout.endsWith("}\n");
  },
  jsonl: (stdout) =>
    stdout
      .split("\n")
      .slice(0, -1)
      .some((line) => typeof JSON.parse(line) !== "object"),
  yaml: (stdout) => (stdout === "" ? false : typeof parse(stdout) !== "object"),
  csv: (stdout) => stdout !== "" && !/^[a-z0-9_,]+\r\n/.test(stdout),
  id: (stdout) => /[^\S\n]{2}|[│┌]/.test(stdout),
  table: (stdout) => /(?:retrieved|created|updated|deleted|Page \d+ of)/.test(stdout),
};

describe.concurrent("stdout contains only data", () => {
  for (const [format, isInvalid] of Object.entries(checks)) {
    test(
      `as ${format}, in a pipe and on a terminal`,
      { timeout: 120_000 },
      async ({ home, expect }) => {
        await stock(home);
        const inHome = (word: string) => (word === csv ? join(home.folder, csv) : word);
        const runs: readonly ((args: readonly string[]) => Promise<Outcome>)[] = [
          (args) => home.run(args),
          (args) => runAtTerminal(home, args, { columns: 400 }),
        ];
        for (const run of runs) {
          for (const command of commands) {
            // Its id alone would lose the key.
            if (format === "id" && command.join(" ") === "local key create") continue;
            const { exitCode, stdout } = await run([...command.map(inHome), "-o", format]);
            // A record that the run in a pipe created or deleted already exists, or is missing, on the terminal.
            if (exitCode !== 0 && run === runs[1]) continue;
            expect(exitCode, command.join(" ")).toBe(0);
            expect(isInvalid(stdout), `${command.join(" ")}\n${stdout}`).toBe(false);
          }
        }
      },
    );
  }
});
