import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import type { Line } from "./words.ts";

/** The context of the questions of the menu. */
export interface Session {
  /** Returns the context to read records in. It is reopened after each command, which may have changed anything. */
  readonly context: () => Capabilities;
  readonly prompter: Prompter;
  /** Runs a command like a typed one, then shows its command line. */
  readonly run: (line: Line) => Promise<void>;
  /** Shows a text, wrapped between words. */
  readonly say: (text: string) => Promise<void>;
  /** Shows an error message, wrapped between words. */
  readonly complain: (text: string) => Promise<void>;
  /** Shows the command line that is equivalent to what the menu has just shown. */
  readonly show: (line: Line) => Promise<void>;
}
