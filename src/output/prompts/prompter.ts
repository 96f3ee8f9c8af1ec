import type { Runtime } from "../../core/runtime.ts";
import { defaultWidth } from "../terminal.ts";

import type { Prompter, PrompterOptions, Questions } from "./questions.ts";

/** Columns of a line that a terminal wraps. */
const plainColumns = 400;

/** Returns whether there is a person to ask: stdin and stderr are terminals. */
export function isInteractive({ stdin, stderr }: Runtime): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Creates a prompter, which loads its parts at the first question. @param isPlain no redrawing */
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
