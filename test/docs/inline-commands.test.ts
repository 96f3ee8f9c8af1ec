import { expect, test } from "vitest";
import { parsed, textOf, userPages } from "./markdown.ts";

const reference = textOf("docs/reference.md");

/** The words of each command, and its section of the reference. */
const commands = reference
  .split(/^## sendctl /m)
  .slice(1)
  .map((section) => ({ words: section.split("\n")[0]!, section }));

const globalOptions = reference.split("## Global options\n")[1]!.split(/^## /m)[0]!;

/** The code in the lines of pages, apart from options of other programs. */
function inlineCode(pages: readonly string[]): { page: string; code: string }[] {
  return pages.flatMap((page) =>
    [...parsed(textOf(page)).prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => ({
      page,
      code: code!,
    })),
  );
}

function hasOption(section: string, option: string): boolean {
  const name = new RegExp(`^- \`[^\`]*${option}(?![\\w-])`, "m");
  return name.test(section) || name.test(globalOptions);
}

/** Returns the command or option of a command line that does not exist; undefined if all exist. */
function unknownPart(code: string): string | undefined {
  const [line = ""] = code.split(/ -- | \\?\|/);
  const words = line.split(" ").slice(1);
  const named = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
  if (named.length === 0 || named[0] === "help") return undefined;
  const matching = (length: number) =>
    commands.filter((one) => `${one.words} `.startsWith(`${named.slice(0, length).join(" ")} `));
  const length =
    [3, 2, 1].find((count) => count <= named.length && matching(count).length > 0) ?? 0;
  const found = matching(length);
  // A noun alone, such as `group`, is followed by one of its verbs.
  const isComplete = found.some((one) => one.words.split(" ").length === length);
  if (length < named.length && !isComplete) return named[length];
  const options = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
  return options.find((option) => !found.some(({ section }) => hasOption(section, option)));
}

test("every command line in the text of a page names a command and its options", () => {
  const lines = inlineCode(userPages).filter(({ code }) => /^sendctl [a-z]/.test(code));
  expect(lines.length).toBeGreaterThan(30);
  const unknown = lines.flatMap(({ page, code }) => {
    const part = unknownPart(code);
    return part === undefined ? [] : [`${page}: ${code}: ${part}`];
  });
  expect(unknown).toStrictEqual([]);
});

test("every option in the text of a page is an option of sendctl", () => {
  /** Pages with options of other programs. */
  const others = new Set(["docs/performance.md", "docs/coming-from.md"]);
  const options = inlineCode(userPages.filter((page) => !others.has(page))).filter(({ code }) =>
    /^--[a-z]/.test(code),
  );
  expect(options.length).toBeGreaterThan(50);
  const unknown = options.filter(({ code }) => {
    const [name = ""] = /^--[a-z-]+/.exec(code) ?? [];
    return ![globalOptions, ...commands.map(({ section }) => section)].some((section) =>
      hasOption(section, name),
    );
  });
  expect(unknown).toStrictEqual([]);
});
