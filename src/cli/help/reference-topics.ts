import { topicTexts, type Block } from "./topic-texts.ts";

/** The topics that the command reference has; pages of docs/ cover the others. */
const sections = [
  ["Exit codes", "exit-codes"],
  ["Environment", "environment"],
] as const;

/** Returns help topics as Markdown, one part per paragraph. */
export function topicSections(): string[] {
  return sections.flatMap(([title, name]) => [`## ${title}`, ...topicTexts[name].map(markdownOf)]);
}

function markdownOf(block: Block): string {
  if (typeof block === "string") return block;
  const rows = block.map(([term, meaning]) => `- \`${term.replaceAll(", ", "`, `")}\`: ${meaning}`);
  return rows.join("\n");
}
