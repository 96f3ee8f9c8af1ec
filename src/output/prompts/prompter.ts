import { SendctlError } from "../../core/error.ts";
import type * as prompts from "./prompts.ts";
import type { Runtime } from "../../core/runtime.ts";

type Choice = prompts.Choice;
type Prompts = typeof prompts;

/** Loads the prompt library, which most commands do not need. */
const loadPrompts = (): Promise<Prompts> => import("./prompts.ts");

/** Asks a person at a terminal. Questions go to stderr; stdout is for data. */
export type Prompter = ReturnType<typeof createPrompter>;

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
 * @param before called before each question
 */
export function createPrompter(
  runtime: Runtime,
  shownAs: (text: string) => string,
  colour: boolean,
  before: () => Promise<void>,
) {
  const theme: Options["theme"] = colour ? {} : plainTheme;
  const size = (): { readonly columns?: number; readonly rows?: number } => runtime.stderr;
  const columns = (): number => size().columns || defaultSize.columns;
  const pageSize = (): number => {
    const free = (size().rows || defaultSize.rows) - reservedLines;
    return Math.min(maxVisible, Math.max(minVisible, free));
  };
  /** @param reserved columns after the question on its line */
  const run = <Answer>(question: string, ask: Asking<Answer>, reserved = 0): Promise<Answer> =>
    runPrompt(runtime, async (streams) => {
      const prompts = await loadPrompts();
      await before();
      const message = await prompts.fitQuestion(shownAs(question), columns(), reserved);
      return ask(prompts, { message, theme }, streams);
    });
  const fit = ({ fitChoices }: Prompts, message: string, choices: readonly Choice[]) => {
    const safe = choices.map(({ value, name, about }) => {
      return { value, name: shownAs(name), about: about === undefined ? about : shownAs(about) };
    });
    return fitChoices(message, safe, columns());
  };
  return {
    /** Asks for a line that is not empty. @param initial the line for Enter alone @throws SendctlError "cancelled" */
    ask: async (question: string, initial?: string): Promise<string> => {
      // The prompt types the default into its input, so a line break in it would submit it.
      const shown = initial === undefined ? undefined : shownAs(initial);
      const preset = shown === undefined ? {} : { default: shown };
      const answer = await run(
        question,
        ({ input }, options, streams) => input({ ...options, ...preset, required: true }, streams),
        shown === undefined ? 0 : shown.length + "()  ".length,
      );
      return initial !== undefined && answer === shown ? initial : answer;
    },
    /** Asks for a line and masks it. @throws SendctlError "cancelled" */
    secret: (question: string): Promise<string> =>
      run(question, ({ password }, options, streams) =>
        // Ctrl-T would reveal the input.
        password({ ...options, mask: "*", toggleMask: false, validate: isNotBlank }, streams),
      ),
    /** Offers a text to edit, which may become empty. @throws SendctlError "cancelled" */
    edit: (question: string, current: string): Promise<string> =>
      run(question, async ({ input }, options, streams) => {
        const before = shownAs(current);
        // The prompt returns the default for an empty line, so this uses what it showed last instead.
        let visible = before;
        let entered: string | undefined;
        const transformer = (value: string): string => (visible = entered ?? value);
        const validate = (): boolean => {
          entered = visible;
          return true;
        };
        const editing = { default: before, prefill: "editable", transformer, validate } as const;
        const style = { ...theme.style, defaultAnswer: () => "" };
        await input({ ...options, ...editing, theme: { ...theme, style } }, streams);
        return entered === undefined || entered === before ? current : entered;
      }),
    /** Asks for one of a few choices. @param initial the value for Enter alone @throws SendctlError "cancelled" */
    select: (question: string, choices: readonly Choice[], initial?: string): Promise<string> =>
      run(question, async (prompts, options, streams) => {
        const preset = initial === undefined ? {} : { default: initial };
        const fitted = await fit(prompts, options.message, choices);
        const list = { choices: fitted, pageSize: pageSize() };
        return prompts.select({ ...options, ...list, ...preset }, streams);
      }),
    /** Asks for at least one of a few choices. @throws SendctlError "cancelled" */
    selectSeveral: (question: string, choices: readonly Choice[]): Promise<readonly string[]> =>
      run(question, async (prompts, options, streams) => {
        const fitted = await fit(prompts, options.message, choices);
        return prompts.checkbox({ ...options, choices: fitted, required: true }, streams);
      }),
    /** Asks for one of many choices, found by typing. @throws SendctlError "cancelled" */
    search: (question: string, find: (typed: string) => readonly Choice[]): Promise<string> =>
      run(question, (prompts, options, streams) => {
        const source = (typed = "") => fit(prompts, options.message, find(typed));
        return prompts.search({ ...options, source, pageSize: pageSize() }, streams);
      }),
    /** Asks yes or no (default: no). @throws SendctlError "cancelled" */
    confirm: (question: string): Promise<boolean> =>
      run(
        question,
        ({ confirm }, options, streams) => confirm({ ...options, default: false }, streams),
        " (y/N) yes".length,
      ),
    /** Returns the width of the terminal. */
    columns,
  };
}

/** Asks with one of the prompts. */
type Asking<Answer> = (prompts: Prompts, options: Options, streams: Streams) => Promise<Answer>;

/** Runs a prompt, which Ctrl-C, Ctrl-D and Escape cancel. @throws SendctlError "cancelled" */
async function runPrompt<Answer>(
  { stdin, stderr }: Runtime,
  ask: (streams: Streams) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController();
  let isEscape = false;
  // On Ctrl-D the prompt closes its reader, which pauses the input, and never settles.
  const end = (): void => ended.abort();
  stdin.once("pause", end);
  const onKey = (
    _: unknown,
    { name, meta }: { readonly name?: string; readonly meta?: boolean },
  ): void => {
    if (name !== "escape" || meta !== true) return;
    isEscape = true;
    end();
  };
  stdin.on("keypress", onKey);
  try {
    // Prompts run at a terminal only, whose stream is always one of Node.
    const output = stderr as unknown as NodeJS.WritableStream;
    return await ask({ input: stdin, output, signal: ended.signal });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
    throw new SendctlError("cancelled", "Cancelled", { isEscape, cause: error });
  } finally {
    stdin.removeListener("pause", end);
    stdin.removeListener("keypress", onKey);
  }
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

/** Options of every prompt. */
interface Options {
  readonly message: string;
  readonly theme: Partial<typeof plainTheme>;
}

interface Streams {
  readonly input: Runtime["stdin"];
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}
