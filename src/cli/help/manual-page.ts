import type { Argument, Command, Option } from "commander";
import { topics } from "./topics.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

/** The tree of commands, and what declares one that has not been named yet. */
interface Tree {
  readonly program: Command;
  readonly declare: (command: Command) => Promise<void>;
}

/**
 * The manual page, from what the help is made of: man(7), as mandoc and groff read it.
 *
 * @param date when it was made, as 2026-01-31
 */
export async function manualPage(tree: Tree, version: string, date: string): Promise<string> {
  const { program, declare } = tree;
  const leaves = await leavesOf(program, declare);
  const globals = program.createHelp().visibleOptions(program);
  return [
    `.TH SENDCTL 1 ${date} "sendctl ${escaped(version)}"`,
    section("NAME"),
    String.raw`sendctl \- manage the sender IDs and groups of a bulk\-SMS platform`,
    section("SYNOPSIS"),
    `${bold("sendctl")} ${italic("COMMAND")} [${italic("ARGUMENT")} ...] [${italic("OPTION")} ...]`,
    section("DESCRIPTION"),
    prose(program.description()),
    section("COMMANDS"),
    ...leaves.map(commandText),
    section("GLOBAL OPTIONS"),
    "They are taken before and after every word of a command.",
    terms(globals.map(optionTerm)),
    ...topics.map(({ name }) => topicText(name)),
    section("EXAMPLES"),
    exampleText(program),
    "",
  ].join("\n");
}

/** Every command that does something, in the order of the help. */
async function leavesOf(
  command: Command,
  declare: (command: Command) => Promise<void>,
): Promise<Command[]> {
  await declare(command);
  const inner = command.createHelp().visibleCommands(command);
  if (inner.length === 0) return [command];
  const leaves: Command[] = [];
  for (const one of inner) leaves.push(...(await leavesOf(one, declare)));
  return leaves;
}

function commandText(command: Command): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(isOwn);
  const usage = command.registeredArguments.map(argumentUsage);
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  return [
    `.SS ${escaped([...pathOf(command), ...usage].join(" "))}`,
    prose(command.description()),
    ...(aliases.length === 0 ? [] : [prose(`Also ${aliases.join(", ")}.`)]),
    ...(options.length === 0 ? [] : [terms(options.map(optionTerm))]),
    ".PP",
    exampleText(command),
  ].join("\n");
}

/** Whether it is no option that every command takes. */
function isOwn({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === undefined;
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

function argumentUsage(argument: Argument): string {
  const name = argument.name().toUpperCase();
  return argument.variadic ? `[${name}...]` : `[${name}]`;
}

function optionTerm(option: Option): [string, string] {
  return [option.flags, option.description];
}

const sections = {
  "exit-codes": "EXIT STATUS",
  environment: "ENVIRONMENT",
  output: "OUTPUT",
  faults: "FAULTS ON PURPOSE",
};

function topicText(name: keyof typeof sections): string {
  const [first, ...blocks] = topicTexts[name].map(blockText);
  return [section(sections[name]), first, ...blocks].join("\n");
}

function blockText(block: Block, index: number): string {
  if (typeof block !== "string") return terms(block);
  return index === 0 ? prose(block) : `.PP\n${prose(block)}`;
}

function section(name: string): string {
  return `.SH ${name}`;
}

function terms(pairs: readonly (readonly [term: string, meaning: string])[]): string {
  return pairs.map(([term, meaning]) => `.TP\n${bold(term)}\n${prose(meaning)}`).join("\n");
}

/** What the help shows below "Examples:". */
function exampleText(command: Command): string {
  let text = "";
  const write = (part: string): string => (text += part);
  // Commander's commands emit events; its types leave that out.
  const emitter = command as Command & { emit: (event: string, context: object) => void };
  emitter.emit("afterHelp", { error: false, command, write });
  const lines = [...text.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line]) => escaped(line!));
  return [".RS 4", ".nf", ...lines, ".fi", ".RE"].join("\n");
}

/** Running text, in which backticks make words bold. */
function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? bold(part) : escaped(part)))
    .join("")
    .replace(/^(?=[.'])/gm, String.raw`\&`);
}

function bold(text: string): string {
  return String.raw`\fB${escaped(text)}\fR`;
}

function italic(text: string): string {
  return String.raw`\fI${escaped(text)}\fR`;
}

/** Text that is shown as it is, its dashes such that they can be copied. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll("'", String.raw`\(aq`)
    .replace(
      /[^\n\x20-\x7e]/gu,
      (one) => `\\[u${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^\./gm, String.raw`\&.`);
}
