import { parsed, type Block } from "./markdown.ts";

/** A command of a page, with the output that the page shows. */
export interface Step {
  readonly line: number;
  readonly command: string;
  readonly shown: readonly string[];
}

/** Joins lines that end in a backslash with the next, and drops comments and empty lines. */
function shellSteps({ line, lines }: Block): Step[] {
  const steps: Step[] = [];
  let command = "";
  for (const [index, text] of lines.entries()) {
    command += text;
    if (text.endsWith("\\")) command += "\n";
    else {
      if (!/^\s*(?:#|$)/.test(command)) steps.push({ line: line + index, command, shown: [] });
      command = "";
    }
  }
  return steps;
}

/** A line that begins with `$ ` is a command; the lines that follow are its output. */
function consoleSteps({ line, lines }: Block): Step[] {
  const steps: { line: number; command: string; shown: string[] }[] = [];
  for (const [index, text] of lines.entries()) {
    if (text.startsWith("$ ")) {
      steps.push({ line: line + index, command: text.slice(2), shown: [] });
    } else steps.at(-1)!.shown.push(text);
  }
  return steps;
}

function fileStep({ line, file, lines }: Block): Step {
  const content = lines.map((text) => `${text}\n`).join("");
  const command = `printf '%s' '${content.replaceAll("'", `'\\''`)}' > '${file}'`;
  return { line, command, shown: [] };
}

/** Returns the steps of a page in order: files to write, and commands to run. */
export function stepsOf(page: string): Step[] {
  return parsed(page)
    .blocks.filter(({ notRun }) => notRun === undefined)
    .flatMap((block) => {
      if (block.file !== undefined) return [fileStep(block)];
      return block.language === "console" ? consoleSteps(block) : shellSteps(block);
    });
}

/** Written after each step, followed by its exit code. */
const mark = "\u001E";

/** Returns a script of bash that runs every step in one shell. Background jobs end with it. */
export function scriptOf(steps: readonly Step[]): string {
  return [
    "exec 2>&1",
    "set -o pipefail",
    "unset -f sendctl; unset XDG_DATA_HOME",
    // The pauses of the pages are for services elsewhere.
    "sleep() { command sleep 0.1; }",
    'export PATH="$HOME/bin:$PATH" npm_config_update_notifier=false',
    "trap 'kill $(jobs -p) 2> /dev/null' EXIT",
    "status=0",
    ...steps.map(
      ({ command }) => `(exit $status)\n${command}\nstatus=$?\nprintf '\\n${mark}%d\\n' $status`,
    ),
  ].join("\n");
}

export interface Ran {
  readonly step: Step;
  readonly exitCode: number;
  readonly output: string;
}

/** Splits the output of a script by its steps. A step that did not end is missing. */
export function ranSteps(steps: readonly Step[], output: string): Ran[] {
  const parts = output.split(new RegExp(`\\n${mark}(\\d+)\\n`));
  return steps.flatMap((step, index) => {
    const exitCode = parts[index * 2 + 1];
    return exitCode === undefined
      ? []
      : [{ step, exitCode: Number(exitCode), output: parts[index * 2]! }];
  });
}

/** Replaces times and uuids, which differ from run to run. */
function normalised(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, "TIME")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .trimEnd();
}

/** Returns the first line that the page shows and the output lacks; the lines must be in order. */
export function missingLine({ step, output }: Ran): string | undefined {
  const lines = output.split("\n").map(normalised);
  let next = 0;
  for (const line of step.shown.filter((line) => line !== "…")) {
    const found = lines.indexOf(normalised(line), next);
    if (found === -1) return line;
    next = found + 1;
  }
  return undefined;
}

/** Returns a page with the output of each command whose output it does not show as it is. */
export function pageWith(ran: readonly Ran[], page: string): string {
  const lines = page.split("\n");
  for (const one of ran.toReversed()) {
    const { step, output } = one;
    const isShown = missingLine(one) === undefined;
    if (!isShown) lines.splice(step.line, step.shown.length, ...output.trimEnd().split("\n"));
  }
  return lines.join("\n");
}
