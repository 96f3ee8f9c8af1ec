import type { Secrets } from "../output/secrets/secrets.ts";
import { createWriter, type Writer } from "../output/writer.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The writers of a process. They exist before the settings, so that invalid settings can be reported. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

/** Creates the writers of standard output and standard error. */
export function createWriters(runtime: Runtime, secrets: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, { name: "standard output", isData: true }, secrets),
    err: createWriter(() => runtime.stderr, { name: "standard error", isData: false }, secrets),
  };
}

/** Columns of a terminal that does not report its width. */
export const defaultWidth = 80;

/** Returns the columns of the terminal that shows a stream; undefined if it is not a terminal. */
export function terminalWidth({
  isTTY,
  columns,
}: Pick<Runtime["stdout"], "isTTY" | "columns">): number | undefined {
  return isTTY === true ? columns || defaultWidth : undefined;
}
