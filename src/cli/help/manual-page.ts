import { examplesOf, type Tree } from "../program/build-command.ts";
import { leavesOf, type Leaf } from "./leaves.ts";
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
    exampleText(examplesOf(program)),
    "",
  ].join("\n");
}

function commandText(leaf: Leaf): string {
  const { usage, description, aliases, options, exitCodes, examples } = leaf;
  return [
    `.SS ${escaped(usage)}`,
    prose(description),
    ...(aliases.length === 0 ? [] : [prose(`Also ${aliases.join(", ")}.`)]),
    ...(options.length === 0 ? [] : [terms(options)]),
    ...(exitCodes.length === 0 ? [] : [".PP", "Exit codes:", terms(exitCodes)]),
    ".PP",
    exampleText(examples),
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

function exampleText(examples: readonly string[]): string {
  return [".RS 4", ".nf", ...examples.map(escaped), ".fi", ".RE"].join("\n");
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
      (character) =>
        `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^\./gm, String.raw`\&.`);
}
