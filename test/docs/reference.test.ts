import { readFileSync, writeFileSync } from "node:fs";
import { dataOf, test } from "../support/home.ts";
import { type MachineHelp, referencePage } from "./reference-page.ts";

const file = "docs/reference.md";

test("docs/reference.md is up to date: if not, run `npm run reference`", async ({
  home,
  expect,
}) => {
  const page = referencePage(dataOf(await home.run(["help", "--json"])) as MachineHelp);
  if (process.env["UPDATE_REFERENCE"] !== undefined) writeFileSync(file, page);
  expect(readFileSync(file, "utf8")).toBe(page);
});

test("the reference has the usage, aliases, arguments, options and examples of a command", ({
  expect,
}) => {
  const page = readFileSync(file, "utf8");
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
