import type { Command } from "commander";
import { examplesOf, exitCodesOf } from "../program/build-command.ts";
import { argumentUsage, leavesOf, ownOptionsOf } from "./leaves.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { topics } from "../registry.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

/**
 * Returns the manual page in the man(7) format of mandoc and groff. It has the same texts as the help.
 *
 * @param date its date, like 2026-01-31
 */
export async function manualPage(tree: Tree, version: string, date: string): Promise<string> {
  const { program } = tree;
  const leaves = await leavesOf(tree);
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
    ...topics.map(({ name }) => topicText(name)),
    section("EXAMPLES"),
    exampleText(program),
    "",
  ].join("\n");
}

function commandText(command: Command): string {
  const options = ownOptionsOf(command);
  const codes = exitCodesOf(command);
  const usage = command.registeredArguments.map(argumentUsage);
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  return [
    `.SS ${escaped([...pathOf(command), ...usage].join(" "))}`,
    prose(command.description()),
    ...(aliases.length === 0 ? [] : [prose(`Also ${aliases.join(", ")}.`)]),
    ...(options.length === 0 ? [] : [terms(options)]),
    ...(codes.length === 0 ? [] : [".PP", "Exit codes:", terms(codes)]),
    ".PP",
    exampleText(command),
  ].join("\n");
}

const sections = {
  options: "GLOBAL OPTIONS",
  "exit-codes": "EXIT STATUS",
  environment: "ENVIRONMENT",
  output: "OUTPUT",
  faults: "FAULT INJECTION",
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

function exampleText(command: Command): string {
  return [".RS 4", ".nf", ...examplesOf(command).map(escaped), ".fi", ".RE"].join("\n");
}

/** Formats a paragraph. Text in backticks becomes bold. */
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

/** Escapes text for man(7), with dashes that can be copied into a shell. */
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
