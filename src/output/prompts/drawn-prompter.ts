import { Transform } from "node:stream";
import { SendctlError } from "../../core/error.ts";
import { withTerminal, type Runtime } from "../../core/runtime.ts";
import { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
import { type Choice, type PrompterOptions, type Questions, emptyForNone } from "./questions.ts";
import { displayWidth, prepareToMeasure, wrapWords } from "../table/display-width.ts";

/** The size of a terminal that does not report one. */
const defaultSize = { columns: 80, rows: 24 };

/** Lines that a list of choices leaves free for its question, a description and the key help. */
const reservedLines = 6;

/** Choices to show at once. */
const minVisible = 7;
const maxVisible = 20;

/** Creates a prompter that draws its questions on a terminal. */
export function createDrawnPrompter(
  runtime: Runtime,
  { shownAs, colour, before }: PrompterOptions,
): Questions {
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
      await before();
      const message = await fitQuestion(shownAs(question), columns(), reserved);
      return ask({ message, theme }, streams);
    });
  const fit = (message: string, choices: readonly Choice[]) => {
    const safe = choices.map(({ value, name, about }) => {
      return { value, name: shownAs(name), about: about === undefined ? about : shownAs(about) };
    });
    return fitChoices(message, safe, columns());
  };
  return {
    ask: async (question, initial) => {
      // The prompt types the default into its input, so a line break in it would submit it.
      const shown = initial === undefined ? undefined : shownAs(initial);
      const preset = shown === undefined ? {} : { default: shown };
      const answer = await run(
        question,
        (options, streams) => input({ ...options, ...preset, required: true }, streams),
        shown === undefined ? 0 : shown.length + "()  ".length,
      );
      return initial !== undefined && answer === shown ? initial : answer;
    },
    secret: (question) =>
      run(question, (options, streams) =>
        // Ctrl-T would reveal the input.
        password({ ...options, mask: "*", toggleMask: false, validate: isNotBlank }, streams),
      ),
    edit: (question, current, isOptional = true) =>
      run(`${question}${isOptional ? emptyForNone : ""}`, async (options, streams) => {
        const before = shownAs(current);
        // The prompt returns the default for an empty line, so this uses what it showed last.
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
    select: (question, choices, initial) =>
      run(question, async (options, streams) => {
        const preset = initial === undefined ? {} : { default: initial };
        const fitted = await fit(options.message, choices);
        const list = { choices: fitted, pageSize: pageSize() };
        return select({ ...options, ...list, ...preset }, streams);
      }),
    selectSeveral: (question, choices) =>
      run(`${question} (space selects, enter confirms)`, async (options, streams) => {
        const fitted = await fit(options.message, choices);
        return checkbox({ ...options, choices: fitted, required: true }, streams);
      }),
    search: (question, find) =>
      run(question, (options, streams) => {
        const source = (typed = "") => fit(options.message, find(typed));
        return search({ ...options, source, pageSize: pageSize() }, streams);
      }),
    confirm: (question) =>
      run(
        question,
        (options, streams) => confirm({ ...options, default: false }, streams),
        " (y/N) yes".length,
      ),
  };
}

/** Asks with one of the prompts. */
type Asking<Answer> = (options: Options, streams: Streams) => Promise<Answer>;

const escape = "\u001b";

/** Control characters: shows the cursor, and begins and ends the marking of pasted text. */
const controls = {
  showCursor: "\u001b[?25h",
  markPaste: "\u001b[?2004h",
  endMarks: "\u001b[?2004l",
};

/** A key that is not text. */
interface Key {
  readonly name?: string;
  readonly sequence?: string;
  readonly meta?: boolean;
}

/**
 * Runs a prompt, which Ctrl-C, Ctrl-D, Ctrl-\, Escape and signals end; `fg` asks again.
 *
 * @throws SendctlError "cancelled", "terminated", "hung_up" or "quit"
 */
async function runPrompt<Answer>(
  runtime: Runtime,
  ask: (streams: Streams) => Promise<Answer>,
): Promise<Answer> {
  const { stdin, stderr } = runtime;
  // Prompts run at a terminal only, whose stream is always one of Node.
  const output = stderr as unknown as NodeJS.WritableStream;
  const restore = (): void => {
    (stdin as NodeJS.ReadStream).setRawMode?.(false);
    output.write(`${controls.showCursor}${controls.endMarks}`);
  };
  for (;;) {
    let isContinued = false;
    let isEscape = false;
    const attempt = withTerminal(runtime, restore, async (signal, end) => {
      const ended = new AbortController();
      const close = (): void => ended.abort();
      signal.addEventListener("abort", close, { once: true });
      const input = unmarkedPaste(stdin);
      // On Ctrl-D the prompt closes its reader, which pauses the input, and never settles.
      input.once("pause", close);
      const onKey = (_: unknown, { name, meta, sequence }: Key): void => {
        isEscape = name === "escape" && meta === true;
        if (isEscape) close();
        else if (sequence === "\u001c") end("SIGQUIT");
        // Node stops the process, which must not leave its terminal without a cursor.
        else if (sequence === "\u001a") output.write(controls.showCursor);
      };
      input.on("keypress", onKey);
      const unlisten = runtime.onStop(() => {
        isContinued = true;
        close();
      }, ["SIGCONT"]);
      output.write(controls.markPaste);
      try {
        return await ask({ input, output, signal: ended.signal });
      } finally {
        output.write(controls.endMarks);
        unlisten();
        input.close();
      }
    });
    try {
      return await attempt;
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
      if (isContinued) continue;
      throw new SendctlError("cancelled", "Cancelled", { isEscape, cause: error });
    }
  }
}

/** What a terminal writes before and after pasted text. */
const pasteMarks = new RegExp(`(${escape}\\[20[01]~)`);

/** Returns standard input with pasted text on one line: the line ends in it are no answers. */
function unmarkedPaste(stdin: Runtime["stdin"]) {
  let isPasted = false;
  const input = new Transform({
    transform: (chunk: Buffer, _, done) => {
      const parts = chunk.toString("latin1").split(pasteMarks);
      const text = parts.map((part, index) => {
        if (index % 2 === 0) return isPasted ? part.replace(/[\r\n]+/g, " ") : part;
        isPasted = part.endsWith("200~");
        return "";
      });
      done(null, Buffer.from(text.join(""), "latin1"));
    },
  });
  stdin.pipe(input);
  return Object.assign(input, {
    isTTY: true,
    setRawMode: (isRaw: boolean) => (stdin as NodeJS.ReadStream).setRawMode(isRaw),
    close: () => {
      stdin.unpipe(input);
      stdin.pause();
    },
  });
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

/** The width of the mark before a question, and of the cursor before a choice. */
const indent = "  ";

/**
 * Wraps a question between words. The prompt library breaks lines anywhere.
 *
 * @param columns width of the terminal
 * @param reserved columns for what follows the question on its line, like `(y/N)`
 */
async function fitQuestion(text: string, columns: number, reserved: number): Promise<string> {
  await prepareToMeasure([text]);
  const width = usableWidth(columns);
  const lines = wrapWords(text, width);
  const last = displayWidth(lines.at(-1)!);
  return [...lines, ...(last + reserved > width ? [""] : [])].join(`\n${indent}`);
}

/**
 * Returns choices as the prompt library takes them, wrapped between words. Descriptions are beside
 * the choices if there is room, otherwise below the list; `short` is shown once the question is
 * answered.
 */
async function fitChoices(question: string, choices: readonly Choice[], columns: number) {
  await prepareToMeasure([question, ...choices.map(({ name, about = "" }) => `${name}${about}`)]);
  const width = usableWidth(columns);
  const longest = Math.max(0, ...choices.map(({ name }) => displayWidth(name)));
  const abouts = choices.map(({ about = "" }) => displayWidth(about));
  const isBeside = longest + indent.length + Math.max(0, ...abouts) <= width;
  const left = width - 1 - displayWidth(question.slice(question.lastIndexOf("\n") + 1));
  return choices.map(({ value, name, about }) => {
    const lines = wrapWords(name, width).join(`\n${indent}`);
    const short = displayWidth(name) > left ? `\n${indent}${lines}` : name;
    if (about === undefined) return { value, name: lines, short };
    if (!isBeside)
      return { value, name: lines, short, description: wrapWords(about, columns).join("\n") };
    const padding = " ".repeat(longest - displayWidth(name));
    return { value, name: `${name}${padding}${indent}${about}`, short };
  });
}

/** Returns the width of a line after its indent. The last column is left free for the cursor. */
function usableWidth(columns: number): number {
  return Math.max(1, columns - indent.length - 1);
}
