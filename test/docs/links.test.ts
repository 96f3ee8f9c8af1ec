import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { allPages, anchorsOf, parsed, root, textOf, userPages } from "./markdown.ts";

/** Code in a line is not a link. */
const inlineCode = /(`+)[^`].*?\1/g;
const link = /\]\(([^()\s]+)\)/g;

function linksOf(page: string): string[] {
  const prose = parsed(textOf(page)).prose.replaceAll(inlineCode, "");
  return [...prose.matchAll(link)].map(([, target]) => target!);
}

/** Returns why a link of a page leads nowhere; undefined if it leads somewhere. */
function problemOf(page: string, target: string): string | undefined {
  if (/^https?:\/\//.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return `${target}: no such file`;
  if (anchor === undefined) return undefined;
  return anchorsOf(textOf(file)).has(anchor) ? undefined : `${target}: no such heading`;
}

test("every relative link leads to a file and a heading", () => {
  const links = allPages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));
  expect(links.length).toBeGreaterThan(80);
  const problems = links.flatMap(({ page, target }) => {
    const problem = problemOf(page, target);
    return problem === undefined ? [] : [`${page}: ${problem}`];
  });
  expect(problems).toStrictEqual([]);
});

test("every source file that a page names exists", () => {
  const named = allPages.flatMap((page) =>
    [...parsed(textOf(page)).prose.matchAll(/`((?:src|test|bin)\/[\w./-]+)`/g)].map(([, path]) => ({
      page,
      path: path!,
    })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toStrictEqual([]);
  // CONTRIBUTING.md names most files by the end of their paths.
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const ends = [...parsed(textOf("CONTRIBUTING.md")).prose.matchAll(/`([\w/.-]+\.ts)`/g)];
  const missing = ends.filter(
    ([, end]) =>
      !existsSync(join(root, end!)) && !files.some((file) => `/${file}`.endsWith(`/${end}`)),
  );
  expect(missing.map(([end]) => end)).toStrictEqual([]);
});

describe("README.md", () => {
  const readme = textOf("README.md");

  test("has at most 200 lines", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(201);
  });

  test("links to every page of docs", () => {
    const linked = linksOf("README.md");
    const pages = allPages.filter((page) => /^docs\/[^/]+$/.test(page));
    expect(pages.filter((page) => !linked.includes(page))).toStrictEqual([]);
  });
});

test("every page for users begins with a title and a paragraph", () => {
  const begins = /^(?:---\n(?:\w+: .+\n)+---\n\n)?# [^\n]+\n\n(?!```|- )[^\s|#<]/;
  const others = userPages.filter((page) => !begins.test(textOf(page)));
  expect(others).toStrictEqual([]);
});
