import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the project. */
export const root = join(import.meta.dirname, "../..");

/** Returns the text of a file of the project. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => (folder === "." ? name : `${folder}/${name}`));
}

/** The pages for users, and the one for automatic clients. */
export const userPages: readonly string[] = [
  "README.md",
  ...markdownIn("docs"),
  ...markdownIn("skills/sendctl"),
];

/** Every Markdown file of the project. */
export const allPages: readonly string[] = [
  ...markdownIn("."),
  ...markdownIn("docs"),
  ...markdownIn("docs/decisions"),
  ...markdownIn("bench"),
  ...markdownIn("release"),
  ...markdownIn("skills/sendctl"),
];

/** A fenced block of code. */
export interface Block {
  /** The number of its first line in the page. */
  readonly line: number;
  readonly language: string;
  /** The second word after the fence: the name of a file with this content. */
  readonly file: string | undefined;
  /** The reason in `<!-- not run: … -->` before the block. */
  readonly notRun: string | undefined;
  readonly lines: readonly string[];
}

interface Parsed {
  readonly blocks: readonly Block[];
  /** The page with empty lines in place of its blocks. */
  readonly prose: string;
}

interface OpenBlock {
  readonly indent: string;
  readonly fence: string;
  readonly block: Block;
  readonly lines: string[];
}

function opened(line: string, index: number, before: string): OpenBlock | undefined {
  const [, indent, fence, info] = /^( *)(`{3,})(.*)$/.exec(line) ?? [];
  if (indent === undefined || fence === undefined) return undefined;
  const [language = "", file] = info!.trim().split(" ");
  const [, notRun] = /^<!-- not run: (.+) -->$/.exec(before) ?? [];
  const lines: string[] = [];
  return { indent, fence, lines, block: { line: index + 2, language, file, notRun, lines } };
}

/** Splits a page into its fenced blocks and its prose. Throws if a block is not closed. */
export function parsed(page: string): Parsed {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: OpenBlock | undefined;
  /** The last line of prose that is not empty. */
  let before = "";
  for (const [index, line] of page.split("\n").entries()) {
    if (open !== undefined) {
      prose.push("");
      if (line.trim() === open.fence) {
        blocks.push(open.block);
        open = undefined;
        before = "";
      } else {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      }
      continue;
    }
    open = opened(line, index, before);
    prose.push(open === undefined ? line : "");
    if (line.trim() !== "") before = line.trim();
  }
  if (open !== undefined) throw new Error(`The block of line ${open.block.line} is not closed`);
  return { blocks, prose: prose.join("\n") };
}

/** Returns the anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** Returns the anchors of a page; the second of two equal headings ends with -1. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of parsed(page).prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = anchorOf(heading!);
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}
