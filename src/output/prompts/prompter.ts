import type { Runtime } from "../../core/runtime.ts";
import { defaultWidth } from "../terminal.ts";

/** A choice: its value, its label, and a line that describes it. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly about?: string | undefined;
}

/** Asks a person at a terminal. Questions go to stderr; stdout is for data. @throws SendctlError if a signal or key ends it */
export interface Prompter {
  /** Asks for a line that is not empty. @param initial the line for Enter alone */
  readonly ask: (question: string, initial?: string) => Promise<string>;
  /** Asks for a line and hides it. */
  readonly secret: (question: string) => Promise<string>;
  /** Offers a text to edit, which may become empty. */
  readonly edit: (question: string, current: string) => Promise<string>;
  /** Asks for one of a few choices. @param initial the value for Enter alone */
  readonly select: (
    question: string,
    choices: readonly Choice[],
    initial?: string,
  ) => Promise<string>;
  /** Asks for at least one of a few choices. */
  readonly selectSeveral: (
    question: string,
    choices: readonly Choice[],
  ) => Promise<readonly string[]>;
  /** Asks for one of many choices, found by typing. */
  readonly search: (
    question: string,
    find: (typed: string) => readonly Choice[],
  ) => Promise<string>;
  /** Asks yes or no (default: no). */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Returns the width of a choice that is a row of a table. */
  readonly columns: () => number;
}

/** Columns of a line that a terminal wraps. */
const plainColumns = 400;

/** The questions of a prompter, which look different at different terminals. */
export type Questions = Omit<Prompter, "columns">;

/** How a prompter asks. */
export interface PrompterOptions {
  /** Makes text safe for a terminal and hides secrets. */
  readonly shownAs: (text: string) => string;
  /** Whether questions may be coloured. */
  readonly colour: boolean;
  /** Called before each question. */
  readonly before: () => Promise<void>;
}

/** Returns whether there is a person to ask: stdin and stderr are terminals. */
export function isInteractive({ stdin, stderr }: Runtime): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Creates a prompter. What it needs is loaded at the first question. @param isPlain whether nothing is redrawn */
export function createPrompter(
  runtime: Runtime,
  options: PrompterOptions,
  isPlain: boolean,
): Prompter {
  let created: Promise<Questions> | undefined;
  const create = async (): Promise<Questions> =>
    isPlain
      ? (await import("./plain-prompter.ts")).createPlainPrompter(runtime, options)
      : (await import("./drawn-prompter.ts")).createDrawnPrompter(runtime, options);
  const prompter = (): Promise<Questions> => (created ??= create());
  return {
    ask: async (...asked) => (await prompter()).ask(...asked),
    secret: async (...asked) => (await prompter()).secret(...asked),
    edit: async (...asked) => (await prompter()).edit(...asked),
    select: async (...asked) => (await prompter()).select(...asked),
    selectSeveral: async (...asked) => (await prompter()).selectSeveral(...asked),
    search: async (...asked) => (await prompter()).search(...asked),
    confirm: async (...asked) => (await prompter()).confirm(...asked),
    columns: () => (isPlain ? plainColumns : runtime.stderr.columns || defaultWidth),
  };
}
