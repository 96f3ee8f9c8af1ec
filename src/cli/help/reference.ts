import type { Command } from "commander";
import { examplesOf, exitCodesOf } from "../program/build-command.ts";
import { argumentTerms, argumentUsage, leavesOf, ownOptionsOf } from "./leaves.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

const head = `# Command reference

Every command with its arguments, options and examples, and then the exit codes and environment variables. This file is
generated from the definitions of the commands: run \`npm run reference\` after changing one.`;

/** Returns the command reference as Markdown. */
export async function referencePage(tree: Tree): Promise<string> {
  const leaves = await leavesOf(tree);
  const parts = [
    head,
    leaves.map((leaf) => `- [${titleOf(leaf)}](#${anchorOf(leaf)}): ${leaf.summary()}`).join("\n"),
    "## Global options",
    ...topicTexts.options.map((block) => (typeof block === "string" ? block : terms(block))),
    ...leaves.flatMap(sectionOf),
    ...topicSections(),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sectionOf(command: Command): string[] {
  const args = argumentTerms(command);
  const options = ownOptionsOf(command);
  const codes = exitCodesOf(command);
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  return [
    `## ${titleOf(command)}`,
    command.description(),
    fenced([usageOf(command)]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}`]),
    ...(args.length === 0 ? [] : ["Arguments:", terms(args)]),
    ...(options.length === 0 ? [] : ["Options:", terms(options)]),
    ...(codes.length === 0 ? [] : ["Exit codes:", terms(codes)]),
    "Examples:",
    fenced(examplesOf(command)),
  ];
}

function titleOf(command: Command): string {
  return pathOf(command).join(" ");
}

/** Returns the anchor that GitHub generates for the title. */
function anchorOf(command: Command): string {
  return titleOf(command).replaceAll(" ", "-");
}

function usageOf(command: Command): string {
  const options = ownOptionsOf(command).length === 0 ? [] : ["[OPTIONS]"];
  return [...pathOf(command), ...command.registeredArguments.map(argumentUsage), ...options].join(
    " ",
  );
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
