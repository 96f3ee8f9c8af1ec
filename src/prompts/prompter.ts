import { SendctlError } from "../contract/error.ts";
import type { Choice } from "./fit.ts";
import type * as prompts from "./prompts.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Somebody at a terminal. Questions go to stderr; stdout is for data. */
export interface Prompter {
  /** A line that is not empty. @throws SendctlError "cancelled" */
  readonly ask: (question: string) => Promise<string>;
  /** The same, with an answer that Enter alone gives. @throws SendctlError "cancelled" */
  readonly askAgain: (question: string, usual: string) => Promise<string>;
  /** The same, and what is typed is not shown. @throws SendctlError "cancelled" */
  readonly secret: (question: string) => Promise<string>;
  /** A text to change, which may become empty. @throws SendctlError "cancelled" */
  readonly edit: (question: string, now: string) => Promise<string>;
  /** One of few. @param usual what Enter alone gives @throws SendctlError "cancelled" */
  readonly select: (
    question: string,
    choices: readonly Choice[],
    usual?: string,
  ) => Promise<string>;
  /** At least one of few. @throws SendctlError "cancelled" */
  readonly selectSeveral: (
    question: string,
    choices: readonly Choice[],
  ) => Promise<readonly string[]>;
  /** One of many, found by typing. @throws SendctlError "cancelled" */
  readonly search: (
    question: string,
    find: (typed: string) => readonly Choice[],
  ) => Promise<string>;
  /** The default is no. @throws SendctlError "cancelled" */
  readonly confirm: (question: string) => Promise<boolean>;
  /** The width of the terminal. */
  readonly columns: () => number;
}

/** Columns and lines of a terminal that does not report how many it has. */
const usualSize = { columns: 80, rows: 24 };

/** Lines that a list of choices leaves to its question, to what is said about a choice, and to the keys. */
const linesAround = 6;

/** The least and the most choices that are seen at once. */
const fewestSeen = 7;
const mostSeen = 20;

/** True where there is a person to ask: both ends of the conversation are terminals. */
export function isInteractive({ stdin, stderr }: Runtime): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * @param shownAs makes text safe for a terminal, without what must never be shown
 * @param colour whether questions may be coloured
 */
export function createPrompter(
  runtime: Runtime,
  shownAs: (text: string) => string,
  colour: boolean,
): Prompter {
  const theme: Partial<typeof plainTheme> = colour ? {} : plainTheme;
  const size = (): { readonly columns?: number; readonly rows?: number } => runtime.stderr;
  const columns = (): number => size().columns || usualSize.columns;
  const pageSize = (): number => {
    const free = (size().rows || usualSize.rows) - linesAround;
    return Math.min(mostSeen, Math.max(fewestSeen, free));
  };
  /** A question, broken between words; the prompts would break it anywhere. */
  const question = async (text: string, reserved = 0): Promise<string> => {
    const { fitQuestion } = await import("./fit.ts");
    return fitQuestion(shownAs(text), columns(), reserved);
  };
  const shown = async (text: string, choices: readonly Choice[]) => {
    const { fitChoices } = await import("./fit.ts");
    const safe = choices.map(({ value, name, about }) => ({
      value,
      name: shownAs(name),
      ...(about === undefined ? {} : { about: shownAs(about) }),
    }));
    return fitChoices(await question(text), safe, columns());
  };
  /** What the prompt begins with is typed into it, where a line end would answer it. */
  const preset = async (text: string, ask: (shown: string) => Promise<string>): Promise<string> => {
    const shown = shownAs(text);
    const answer = await ask(shown);
    return answer === shown ? text : answer;
  };
  return {
    ask: (message) =>
      asked(runtime, async ({ input }, streams) =>
        input({ message: await question(message), required: true, theme }, streams),
      ),
    askAgain: (message, usual) =>
      preset(usual, (shown) =>
        asked(runtime, async ({ input }, streams) => {
          const fitted = await question(message, shown.length + "()  ".length);
          return input({ message: fitted, default: shown, required: true, theme }, streams);
        }),
      ),
    secret: (message) =>
      asked(runtime, async ({ password }, streams) => {
        // Ctrl-T would show what has been typed.
        const masked = { mask: "*", toggleMask: false, validate: isSaid };
        return password({ message: await question(message), ...masked, theme }, streams);
      }),
    edit: (message, now) =>
      asked(runtime, async ({ input }, streams) => {
        const before = shownAs(now);
        // The prompt gives the default for an empty line, so what it showed last is taken instead.
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
        return entered === undefined || entered === before ? now : entered;
      }),
    select: (message, choices, usual) =>
      asked(runtime, async ({ select }, streams) => {
        const preset = usual === undefined ? {} : { default: usual };
        const fitted = { message: await question(message), choices: await shown(message, choices) };
        return select({ ...fitted, ...preset, pageSize: pageSize(), theme }, streams);
      }),
    selectSeveral: (message, choices) =>
      asked(runtime, async ({ checkbox }, streams) => {
        const fitted = { message: await question(message), choices: await shown(message, choices) };
        return checkbox({ ...fitted, required: true, theme }, streams);
      }),
    search: (message, find) =>
      asked(runtime, async ({ search }, streams) =>
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
      asked(runtime, async ({ confirm }, streams) => {
        const fitted = await question(message, " (y/N) yes".length);
        return confirm({ message: fitted, default: false, theme }, streams);
      }),
    columns,
  };
}

function isSaid(typed: string): true | string {
  return typed.trim() === "" ? "You must provide a value" : true;
}

const same = (text: string): string => text;

/** inquirer knows NO_COLOR, but not `--no-color`. */
const plainTheme = {
  prefix: { idle: "?", done: "✔" },
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    highlight: same,
    searchTerm: same,
    description: same,
    disabled: same,
    help: same,
    key: same,
  },
};

type Prompts = typeof prompts;

interface Streams {
  readonly input: Runtime["stdin"];
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Ctrl-C and Ctrl-D, the end of the input, mean stop. */
async function asked<Answer>(
  { stdin, stderr }: Runtime,
  question: (prompts: Prompts, streams: Streams) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController();
  // The prompt closes its reader on Ctrl-D, which pauses the input, and says nothing more of it.
  const end = (): void => ended.abort();
  stdin.once("pause", end);
  try {
    // A person is asked at a terminal only, whose stream can do all that Node's can.
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
