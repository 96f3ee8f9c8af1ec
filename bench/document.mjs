import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const document = resolve(import.meta.dirname, "../docs/performance.md");

/** @param {string[]} cells */
function lineOf(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** @param {string[]} head @param {string[][]} rows @param {string} alignment one letter per column, l or r */
export function markdownTable(head, rows, alignment) {
  const rule = Array.from(alignment, (side) => (side === "r" ? "---:" : "---"));
  return [head, rule, ...rows].map(lineOf).join("\n");
}

/** Replaces the text between the begin and end comments of a name. @param {string} name @param {string} text */
export function replaceInDocument(name, text) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = readFileSync(document, "utf8");
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${document} has no comments for "${name}"`);
  writeFileSync(document, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
  spawnSync("npx", ["oxfmt", document], { stdio: "inherit" });
}
