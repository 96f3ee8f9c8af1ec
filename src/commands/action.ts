import type { Command } from "commander";
import type { Context } from "../cli/context.ts";
import type { ExitCode } from "../output/exit-codes.ts";

/** What a command does, given what it may touch, its arguments and its options. */
type Run<Arguments extends unknown[]> = (
  context: Context,
  ...given: Arguments
) => Promise<ExitCode>;

/** Makes an action of commander's of it. */
export type Action = <Arguments extends unknown[]>(
  run: Run<Arguments>,
) => (this: Command, ...given: Arguments) => Promise<void>;
