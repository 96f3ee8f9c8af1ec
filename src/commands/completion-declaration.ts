import { Argument, type Command } from "commander";
import { shells } from "../cli/completion/scripts.ts";
import type { Action } from "./action.ts";

/** Declares what `sendctl completion` takes. */
export function declareCompletion(command: Command, action: Action): void {
  command
    .addArgument(new Argument("[shell]", "the shell that it is for").choices(shells))
    .action(
      action(async (context, shell: string | undefined) =>
        (await import("./completion.ts")).printCompletion(context, shell),
      ),
    );
}
