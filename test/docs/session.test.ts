import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "../support/home.ts";
import { hasTerminal, runOnTerminal } from "../support/pseudo-terminal.ts";
import { root } from "./markdown.ts";
import { drawn } from "./terminal-picture.ts";

const file = join(root, "docs/session.svg");

const manifest = `sender_ids:
  - name: ACME
    purpose: Order updates
groups:
  - name: Friends
    birthday_message: Cheers, {first_name}!
  - name: Customers
    send_birthday: true
`;

/** The commands of the picture. */
const session = [
  'sendctl sender-id create ACME --purpose "Order updates"',
  "sendctl group list --search friends",
  "sendctl diff sendctl.yaml",
  "sendctl group fetch Frends",
];

/** Splits a command line into its words. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

const title = "docs/session.svg shows what a terminal shows: if not, run `npm run reference`";

test.skipIf(!hasTerminal)(title, async ({ home, expect }) => {
  const message = "Happy birthday, {first_name}!";
  await home.run(["group", "create", "Friends", "--send-birthday", "--birthday-message", message]);
  await writeFile(join(home.folder, "sendctl.yaml"), manifest);
  const text: string[] = [];
  for (const line of session) {
    const { output } = await runOnTerminal(home, wordsOf(line).slice(1), []);
    text.push(`$ ${line}\n${output.replaceAll("\r\n", "\n")}`);
  }
  const screen = text
    .join("")
    .replaceAll(home.database, "/home/ada/.local/share/sendctl/sendctl.db")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-01-31 08:00:00");
  const picture = drawn(screen, "A session of sendctl at a terminal");
  if (process.env["UPDATE_REFERENCE"] !== undefined) writeFileSync(file, picture);
  expect(readFileSync(file, "utf8")).toBe(picture);
});
