/** A choice: its value, its label, and a line that describes it. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly about?: string | undefined;
}

/** Asks a person at a terminal, on stderr. @throws SendctlError if a signal or key ends it */
export interface Prompter {
  /** Asks for a line that is not empty. @param initial the line for Enter alone */
  readonly ask: (question: string, initial?: string) => Promise<string>;
  /** Asks for a line and hides it. */
  readonly secret: (question: string) => Promise<string>;
  /** Offers a text to edit. @param isOptional whether it may be empty (default: true) */
  readonly edit: (question: string, current: string, isOptional?: boolean) => Promise<string>;
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

/** Follows the question for a text that may be empty. */
export const emptyForNone = " (empty for none)";
