import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import type { Line } from "./words.ts";

/** What the questions of the menu work with. */
export interface Session {
  /** Reads records; it is opened again after each command, which may have changed anything. */
  readonly context: () => Capabilities;
  readonly prompter: Prompter;
  /** Runs a command as if it had been typed, then shows its command line. */
  readonly run: (line: Line) => Promise<void>;
  /** Shows a line for the person, broken between words. */
  readonly say: (text: string) => Promise<void>;
  /** The same, of why something was not done. */
  readonly complain: (text: string) => Promise<void>;
  /** Shows the command line that does the same as what the menu has just shown. */
  readonly show: (line: Line) => Promise<void>;
}

/** Asks for the arguments of a command. @returns undefined where there is nothing to do */
export type Ask = (session: Session) => Promise<readonly string[] | undefined>;
