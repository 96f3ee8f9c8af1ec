import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reference } from "../../src/cli/main.ts";

const page = readFileSync("docs/reference.md", "utf8");

test("docs/reference.md is up to date: if not, run `npm run reference`", async () => {
  expect(page).toBe(await reference());
});

test("it has the usage, aliases, arguments, options and examples of a command", () => {
  const section = page.split(/^## /m).find((part) => part.startsWith("sendctl group fetch\n"));
  for (const part of [
    "Show groups by id, uuid or name",
    "```sh\nsendctl group fetch [GROUP...] [OPTIONS]\n```",
    "Aliases: `get`, `show`",
    "- `GROUP...`: ids",
    "- `-0, --null`: records on standard input",
    "\nsendctl group fetch Customers --json\n",
  ]) {
    expect(section).toContain(part);
  }
  expect(page).toContain("- `--port <n>`: port; 0 for any free port (default: 4010)\n");
  expect(page).not.toContain("__complete");
});
