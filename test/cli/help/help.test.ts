import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { makeHome, test, type Home } from "../../support/home.ts";

interface Page {
  /** Words after `sendctl`. */
  readonly words: readonly string[];
  readonly text: string;
  /** Names and aliases of the commands in it. */
  readonly commands: readonly string[][];
}

/** Returns the names of the commands that a page lists, like `  fetch|get [id]   Show a group`. */
function commandsIn(text: string): string[][] {
  const section = /^Commands:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^ {2}(\S+)/gm)].map(([, names]) => names!.split("|"));
}

/** Returns every page of help below these words. */
async function pagesFrom(home: Home, words: readonly string[]): Promise<Page[]> {
  const { stdout: text } = await home.run([...words, "--help"]);
  const commands = commandsIn(text);
  const inner = await Promise.all(commands.map(([name]) => pagesFrom(home, [...words, name!])));
  return [{ words, text, commands }, ...inner.flat()];
}

/** Read before the tests, because each page has its own tests. */
const pages = await (async () => {
  const home = await makeHome();
  const found = await pagesFrom(home, []);
  await rm(home.folder, { recursive: true });
  return found;
})();

function named({ words }: Page): string {
  return ["sendctl", ...words].join(" ");
}

/** Returns the long options that a page describes. */
function optionsIn(text: string): string[] {
  return [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name!);
}

/** Errors of examples in an empty home. */
const acceptable = [
  /^sendctl: refusing to (delete|apply) without confirmation\nhint: pass --yes\n$/,
  // Commands for a database or a backup fail without one.
  /^sendctl: .* does not exist/,
  /^sendctl: probe needs a service/,
  // A login needs a key, and other profile commands need a login.
  /^sendctl: (missing required option --base-url URL|missing secret key|unknown profile "prod")/,
];

describe("the tree of commands", () => {
  test("has every command", ({ expect }) => {
    const commands: Record<string, string> = {
      "": "api apply completion diff doctor export group help history local login logout probe profile schema sender-id serve undo validate version",
      group: "create delete fetch list preview rename update",
      local:
        "backup birthdays check contact copy info integration key log reset restore review run seed start status stop",
      "local contact": "add delete find import list",
      "local integration": "create delete list",
      "local key": "create list revoke",
      profile: "delete list protect rename set-behaviour show use",
      schema: "behaviour manifest openapi",
      "sender-id": "create delete fetch list wait",
    };
    const inner = pages.map(({ words, commands }): [string, string] => [
      words.join(" "),
      commands
        .map(([name]) => name!)
        .toSorted()
        .join(" "),
    ]);
    expect(Object.fromEntries(inner.filter(([, names]) => names !== ""))).toStrictEqual(commands);
  });

  test("is that of docs/reference.md", async ({ expect }) => {
    const reference = await readFile("docs/reference.md", "utf8");
    const named = [...reference.matchAll(/^## sendctl (.*)/gm)].map(([, words]) => words!);
    const leaves = pages.filter(({ commands }) => commands.length === 0);
    expect(named.toSorted()).toStrictEqual(leaves.map(({ words }) => words.join(" ")).toSorted());
  });
});

describe.concurrent("the help of", () => {
  for (const page of pages) {
    const { words, text, commands } = page;

    test(`${named(page)} has a usage line and a description, and fits a screen`, ({ expect }) => {
      const [usage, description] = text.split("\n\n");
      expect(usage).toMatch(/^Usage: sendctl\b/);
      expect(description).toMatch(/^[A-Z][^]*\.$/);
      expect(text.endsWith("\n")).toBe(true);
      const lines = text.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 80)).toStrictEqual([]);
    });

    test(`${named(page)} refers to the global options in one line`, async ({ home, expect }) => {
      expect(text).toMatch(/^Global options\b.*`sendctl help options`$/m);
      const { stdout } = await home.run(["help", "options"]);
      const shared = new Set(optionsIn(stdout));
      expect([...shared]).toContain("--database");
      // A command may have an option of its own in place of the global one.
      const own: Record<string, string> = {
        "sender-id wait": "--timeout",
        "profile protect": "--read-only",
      };
      shared.delete(own[words.join(" ")] ?? "");
      expect(optionsIn(text).filter((option) => shared.has(option))).toStrictEqual([]);
    });

    test(`${named(page)} is the same with -h, help and --json`, async ({ home, expect }) => {
      const shown = { exitCode: 0, stdout: text, stderr: "" };
      expect(await home.run([...words, "-h"])).toStrictEqual(shown);
      expect(await home.run(["help", ...words])).toStrictEqual(shown);
      const { exitCode, stdout } = await home.run([...words, "--help", "--json"]);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        status: true,
        message: "Help",
        data: { help: text },
      });
    });

    const aliases = commands.flatMap(([name, ...others]) =>
      others.map((alias) => ({ name: name!, alias })),
    );
    for (const { name, alias } of aliases) {
      test(`${named(page)} ${name} is that of ${alias}`, async ({ home, expect }) => {
        const { stdout } = await home.run([...words, alias, "--help"]);
        const path = [...words, name].join(" ");
        expect(stdout).toBe(pages.find((page) => page.words.join(" ") === path)?.text);
      });
    }
  }

  for (const page of pages) {
    test(`${named(page)} ends with examples that work`, async ({ home, expect }) => {
      const [, examples = ""] = page.text.split("\nTopics:\n")[0]!.split("\nExamples:\n");
      const lines = [...examples.matchAll(/^ {2}\$ (sendctl .*)$/gm)].map(([, line]) => line!);
      expect(lines.length).toBeGreaterThan(0);
      expect(examples.trim().split("\n")).toHaveLength(lines.length);
      await writeFile(join(home.folder, "sendctl.yaml"), "groups: []\n");
      for (const line of lines) {
        expect(line.startsWith(named(page))).toBe(true);
        // They run until they are stopped: test/commands/serve/serve.test.ts, test/commands/local/background.test.ts.
        if (page.words[0] === "serve" || page.words[1] === "start") continue;
        const words = /^[\w ./:=+-]+$/.test(line) ? line.split(" ").slice(1) : [];
        const needsShell = words.length === 0 || words[1] === "run";
        const { exitCode, stderr } = await (needsShell ? home.shell(line) : home.run(words));
        if (acceptable.some((pattern) => pattern.test(stderr))) continue;
        // A missing record is fine.
        expect([0, 4]).toContain(exitCode);
      }
    });
  }
});
