import type { Tree } from "../program/build-command.ts";
import { leavesOf, type Leaf } from "./leaves.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

const head = `# Command reference

Every command with its arguments, options and examples, and then the exit codes and environment variables. This file is
generated from the definitions of the commands: run \`npm run reference\` after changing one.`;

/** Returns the command reference as Markdown. */
export async function referencePage(tree: Tree): Promise<string> {
  const leaves = await leavesOf(tree);
  const parts = [
    head,
    leaves.map(({ title, summary }) => `- [${title}](#${anchorOf(title)}): ${summary}`).join("\n"),
    "## Global options",
    ...topicTexts.options.map((block) => (typeof block === "string" ? block : terms(block))),
    ...leaves.flatMap(sectionOf),
    ...topicSections(),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sectionOf(leaf: Leaf): string[] {
  const { title, usage, description, aliases, args, options, exitCodes, examples } = leaf;
  return [
    `## ${title}`,
    description,
    fenced([options.length === 0 ? usage : `${usage} [OPTIONS]`]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}`]),
    ...(args.length === 0 ? [] : ["Arguments:", terms(args)]),
    ...(options.length === 0 ? [] : ["Options:", terms(options)]),
    ...(exitCodes.length === 0 ? [] : ["Exit codes:", terms(exitCodes)]),
    "Examples:",
    fenced(examples),
  ];
}

/** Returns the anchor that GitHub generates for a title. */
function anchorOf(title: string): string {
  return title.replaceAll(" ", "-");
}

function terms(pairs: readonly (readonly [term: string, description: string])[]): string {
  return pairs.map(([term, description]) => `- \`${term}\`: ${description}`).join("\n");
}

function fenced(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;
}

/** The topics that the command reference has; pages of docs/ cover the others. */
const sections = [
  ["Exit codes", "exit-codes"],
  ["Environment", "environment"],
] as const;

/** Returns help topics as Markdown, one part per paragraph. */
function topicSections(): string[] {
  return sections.flatMap(([title, name]) => [`## ${title}`, ...topicTexts[name].map(markdownOf)]);
}

function markdownOf(block: Block): string {
  if (typeof block === "string") return block;
  const rows = block.map(([term, meaning]) => `- \`${term.replaceAll(", ", "`, `")}\`: ${meaning}`);
  return rows.join("\n");
}
