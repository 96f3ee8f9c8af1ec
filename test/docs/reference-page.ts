/** An argument or option in `sendctl help --json`. */
interface Described {
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly value?: string;
  readonly is_value_optional?: true;
  readonly description: string;
  readonly default?: string;
}

interface Command {
  readonly command: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly arguments?: readonly Described[];
  readonly options?: readonly Described[];
  readonly exit_codes?: readonly ExitCode[];
  readonly examples?: readonly string[];
}

interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

/** What `sendctl help --json` prints. */
export interface MachineHelp {
  readonly commands: readonly Command[];
  readonly global_options: readonly Described[];
  readonly exit_codes: readonly ExitCode[];
  readonly environment: readonly { readonly names: readonly string[]; readonly meaning: string }[];
}

const head = `# Command reference

Every command with its arguments, options and examples, and then the exit codes and environment variables. This file is
generated from \`sendctl help --json\`: run \`npm run reference\` after changing the definition of a command.`;

/** Returns the command reference as Markdown. */
export function referencePage(help: MachineHelp): string {
  const { commands, global_options, exit_codes, environment } = help;
  const parts = [
    head,
    commands.map(linkTo).join("\n"),
    "## Global options",
    "Every command accepts these options, in any position.",
    global_options.map(optionLine).join("\n"),
    ...commands.flatMap(sectionOf),
    "## Exit codes",
    exit_codes.map(codeLine).join("\n"),
    "## Environment",
    "A flag overrides a variable, a variable overrides the profile, and the profile overrides the default. An empty variable counts as unset.",
    environment
      .map(({ names, meaning }) => `- ${names.map(code).join(", ")}: ${meaning}`)
      .join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns a link to the anchor that GitHub generates for a command's title. */
function linkTo({ command, summary }: Command): string {
  return `- [${command}](#${command.replaceAll(" ", "-")}): ${summary}`;
}

function sectionOf(help: Command): string[] {
  const { command, aliases = [], options = [], exit_codes = [], examples = [] } = help;
  const args = help.arguments ?? [];
  const usage = [command, ...args.map(({ name }) => `[${name}]`)];
  if (options.length > 0) usage.push("[OPTIONS]");
  return [
    `## ${command}`,
    help.description,
    fenced([usage.join(" ")]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.map(code).join(", ")}`]),
    ...section("Arguments:", args.map(argumentLine)),
    ...section("Options:", options.map(optionLine)),
    ...section("Exit codes:", exit_codes.map(codeLine)),
    "Examples:",
    fenced(examples),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, lines.join("\n")];
}

function argumentLine({ name, description }: Described): string {
  return `- \`${name}\`: ${description}`;
}

function optionLine(option: Described): string {
  const { flags = [], value, is_value_optional: isOptional, description } = option;
  const shown = value === undefined ? "" : isOptional ? ` [${value}]` : ` <${value}>`;
  const usual = option.default === undefined ? "" : ` (default: ${option.default})`;
  return `- \`${flags.join(", ")}${shown}\`: ${description}${usual}`;
}

function codeLine({ code: number, meaning }: ExitCode): string {
  return `- \`${number}\`: ${meaning}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function fenced(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;
}
