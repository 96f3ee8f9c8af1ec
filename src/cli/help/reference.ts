import type { Argument, Command } from "commander";
import {
  type Tree,
  examplesOf,
  exitCodesOf,
  isGlobalOption,
  pathOf,
} from "../program/build-command.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

const head = `# Command reference

Every command with its arguments, options and examples, and then the exit codes and environment variables. This file is
generated from the definitions of the commands: run \`npm run reference\` after changing one.`;

/** Returns the command reference as Markdown. */
export async function referencePage(tree: Tree): Promise<string> {
  const commands = await commandsOf(tree);
  const parts = [
    head,
    commands.map(linkTo).join("\n"),
    "## Global options",
    ...topicTexts.options.map((block) => (typeof block === "string" ? block : terms(block))),
    ...commands.flatMap(sectionOf),
    ...topicSections(),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns every command without subcommands, in the order of the help. */
export async function commandsOf({ program, declare }: Tree): Promise<Command[]> {
  const below = async (command: Command): Promise<Command[]> => {
    await declare(command);
    const inner = command.createHelp().visibleCommands(command);
    if (inner.length === 0) return [command];
    const found: Command[] = [];
    for (const child of inner) found.push(...(await below(child)));
    return found;
  };
  return below(program);
}

function titleOf(command: Command): string {
  return pathOf(command).join(" ");
}

/** Returns a link to the anchor that GitHub generates for a command's title. */
function linkTo(command: Command): string {
  const title = titleOf(command);
  return `- [${title}](#${title.replaceAll(" ", "-")}): ${command.summary()}`;
}

function sectionOf(command: Command): string[] {
  const help = command.createHelp();
  const title = titleOf(command);
  const args = command.registeredArguments;
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  const options = help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  const exitCodes = exitCodesOf(command);
  const usage = [title, ...args.map((argument) => `[${termOf(argument)}]`)];
  if (options.length > 0) usage.push("[OPTIONS]");
  return [
    `## ${title}`,
    command.description(),
    fenced([usage.join(" ")]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}`]),
    ...section(
      "Arguments:",
      args.map((argument) => [termOf(argument), help.argumentDescription(argument)]),
    ),
    ...section(
      "Options:",
      options.map((option) => [option.flags, help.optionDescription(option)]),
    ),
    ...section("Exit codes:", exitCodes),
    "Examples:",
    fenced(examplesOf(command)),
  ];
}

/** Returns an argument as usage lines show it: `NAME`, `COMMAND...`. */
export function termOf(argument: Argument): string {
  const name = argument
    .name()
    .toUpperCase()
    .replaceAll(/(?<=\w)-/g, "_");
  return argument.variadic ? `${name}...` : name;
}

type Pair = readonly [term: string, description: string];

function section(title: string, pairs: readonly Pair[]): string[] {
  return pairs.length === 0 ? [] : [title, terms(pairs)];
}

function terms(pairs: readonly Pair[]): string {
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
