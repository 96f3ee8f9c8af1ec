import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reference } from "../../src/cli/main.ts";

const page = readFileSync("docs/reference.md", "utf8");

test("docs/reference.md is up to date: if not, run `npm run reference`", async () => {
  expect(page).toBe(await reference());
});

test("the command reference has the usage, aliases, arguments, options and examples of a command", () => {
  const section = page.split(/^## /m).find((part) => part.startsWith("sendctl group fetch\n"));
  expect(section).toBe(`sendctl group fetch

Show groups by id, uuid or name; several are shown as a list. A number is an id: write name:12 for the group named 12.

\`\`\`sh
sendctl group fetch [GROUP...] [OPTIONS]
\`\`\`

Aliases: \`get\`, \`show\`

Arguments:

- \`GROUP...\`: ids, uuids or names; - reads them from standard input

Options:

- \`-0, --null\`: records on standard input end with NUL instead of a newline

Examples:

\`\`\`sh
sendctl group fetch 12
sendctl group fetch Customers --json
sendctl group fetch 12 13 name:14
\`\`\`

`);
  expect(page).toContain("- `--port <n>`: port; 0 for any free port (default: 4010)\n");
  expect(page).toContain("\nsendctl local contact import [GROUP_ID] [FILE] [OPTIONS]\n");
  expect(page).not.toContain("__complete");
});
