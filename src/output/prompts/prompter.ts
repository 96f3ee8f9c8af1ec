import { SendctlError } from "../../core/error.ts";
import type { Choice } from "./prompts.ts";
import type * as prompts from "./prompts.ts";
import type { Runtime } from "../../core/runtime.ts";

/** Asks a person at a terminal. Questions go to stderr; stdout is for data. */
export interface Prompter {
  /** Asks for a line that is not empty. @throws SendctlError "cancelled" */
  readonly ask: (question: string) => Promise<string>;
  /** Asks for a line, with a default for Enter alone. @throws SendctlError "cancelled" */
  readonly askWithDefault: (question: string, initial: string) => Promise<string>;
  /** Asks for a line and masks it. @throws SendctlError "cancelled" */
  readonly secret: (question: string) => Promise<string>;
  /** Offers a text to edit, which may become empty. @throws SendctlError "cancelled" */
  readonly edit: (question: string, current: string) => Promise<string>;
  /** Asks for one of a few choices. @param initial the value for Enter alone @throws SendctlError "cancelled" */
  readonly select: (
    question: string,
    choices: readonly Choice[],
    initial?: string,
  ) => Promise<string>;
  /** Asks for at least one of a few choices. @throws SendctlError "cancelled" */
  readonly selectSeveral: (
    question: string,
    choices: readonly Choice[],
  ) => Promise<readonly string[]>;
  /** Asks for one of many choices, found by typing. @throws SendctlError "cancelled" */
  readonly search: (
    question: string,
    find: (typed: string) => readonly Choice[],
  ) => Promise<string>;
  /** Asks yes or no (default: no). @throws SendctlError "cancelled" */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Returns the width of the terminal. */
  readonly columns: () => number;
}

/** The size of a terminal that does not report one. */
const defaultSize = { columns: 80, rows: 24 };

/** Lines that a list of choices leaves free for its question, a description and the key help. */
const reservedLines = 6;

/** Choices to show at once. */
const minVisible = 7;
const maxVisible = 20;

/** Returns whether there is a person to ask: stdin and stderr are terminals. */
export function isInteractive({ stdin, stderr }: Runtime): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Creates a prompter on the streams of a process.
 *
 * @param shownAs makes text safe for a terminal and hides secrets
 * @param colour whether questions may be coloured
 */
export function createPrompter(
  runtime: Runtime,
  shownAs: (text: string) => string,
  colour: boolean,
): Prompter {
  const theme: Partial<typeof plainTheme> = colour ? {} : plainTheme;
  const size = (): { readonly columns?: number; readonly rows?: number } => runtime.stderr;
  const columns = (): number => size().columns || defaultSize.columns;
  const pageSize = (): number => {
    const free = (size().rows || defaultSize.rows) - reservedLines;
    return Math.min(maxVisible, Math.max(minVisible, free));
  };
  /** Wraps a question between words. */
  const question = async (text: string, reserved = 0): Promise<string> => {
    const { fitQuestion } = await import("./prompts.ts");
    return fitQuestion(shownAs(text), columns(), reserved);
  };
  const shown = async (text: string, choices: readonly Choice[]) => {
    const { fitChoices } = await import("./prompts.ts");
    const safe = choices.map(({ value, name, about }) => ({
      value,
      name: shownAs(name),
      ...(about === undefined ? {} : { about: shownAs(about) }),
    }));
    return fitChoices(await question(text), safe, columns());
  };
  /** The prompt types the default into its input, so a line break in it would submit it. */
  const withPreset = async (
    text: string,
    ask: (shown: string) => Promise<string>,
  ): Promise<string> => {
    const shown = shownAs(text);
    const answer = await ask(shown);
    return answer === shown ? text : answer;
  };
  return {
    ask: (message) =>
      runPrompt(runtime, async ({ input }, streams) =>
        input({ message: await question(message), required: true, theme }, streams),
      ),
    askWithDefault: (message, initial) =>
      withPreset(initial, (shown) =>
        runPrompt(runtime, async ({ input }, streams) => {
          const fitted = await question(message, shown.length + "()  ".length);
          return input({ message: fitted, default: shown, required: true, theme }, streams);
        }),
      ),
    secret: (message) =>
      runPrompt(runtime, async ({ password }, streams) => {
        // Ctrl-T would reveal the input.
        const masked = { mask: "*", toggleMask: false, validate: isNotBlank };
        return password({ message: await question(message), ...masked, theme }, streams);
      }),
    edit: (message, current) =>
      runPrompt(runtime, async ({ input }, streams) => {
        const before = shownAs(current);
        // The prompt returns the default for an empty line, so this uses what it showed last instead.
        let visible = before;
        let entered: string | undefined;
        const transformer = (value: string): string => (visible = entered ?? value);
        const validate = (): boolean => {
          entered = visible;
          return true;
        };
        const style = { ...theme.style, defaultAnswer: () => "" };
        const editing = { default: before, prefill: "editable", transformer, validate } as const;
        const options = { message: await question(message), ...editing };
        await input({ ...options, theme: { ...theme, style } }, streams);
        return entered === undefined || entered === before ? current : entered;
      }),
    select: (message, choices, initial) =>
      runPrompt(runtime, async ({ select }, streams) => {
        const preset = initial === undefined ? {} : { default: initial };
        const fitted = { message: await question(message), choices: await shown(message, choices) };
        return select({ ...fitted, ...preset, pageSize: pageSize(), theme }, streams);
      }),
    selectSeveral: (message, choices) =>
      runPrompt(runtime, async ({ checkbox }, streams) => {
        const fitted = { message: await question(message), choices: await shown(message, choices) };
        return checkbox({ ...fitted, required: true, theme }, streams);
      }),
    search: (message, find) =>
      runPrompt(runtime, async ({ search }, streams) =>
        search(
          {
            message: await question(message),
            source: (typed) => shown(message, find(typed ?? "")),
            pageSize: pageSize(),
            theme,
          },
          streams,
        ),
      ),
    confirm: (message) =>
      runPrompt(runtime, async ({ confirm }, streams) => {
        const fitted = await question(message, " (y/N) yes".length);
        return confirm({ message: fitted, default: false, theme }, streams);
      }),
    columns,
  };
}

function isNotBlank(typed: string): true | string {
  return typed.trim() === "" ? "You must provide a value" : true;
}

const unchanged = (text: string): string => text;

/** A theme without colours, for `--no-color`; inquirer itself supports NO_COLOR only. */
const plainTheme = {
  prefix: { idle: "?", done: "✔" },
  style: {
    answer: unchanged,
    message: unchanged,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    highlight: unchanged,
    searchTerm: unchanged,
    description: unchanged,
    disabled: unchanged,
    help: unchanged,
    key: unchanged,
  },
};

type Prompts = typeof prompts;

interface Streams {
  readonly input: Runtime["stdin"];
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Runs a prompt. Ctrl-C and Ctrl-D cancel it. */
async function runPrompt<Answer>(
  { stdin, stderr }: Runtime,
  question: (prompts: Prompts, streams: Streams) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController();
  // On Ctrl-D the prompt closes its reader, which pauses the input, and never settles.
  const end = (): void => ended.abort();
  stdin.once("pause", end);
  try {
    // Prompts run at a terminal only, whose stream is always one of Node.
    const output = stderr as unknown as NodeJS.WritableStream;
    return await question(await import("./prompts.ts"), {
      input: stdin,
      output,
      signal: ended.signal,
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
    throw new SendctlError("cancelled", "Cancelled", { cause: error });
  } finally {
    stdin.removeListener("pause", end);
  }
}
