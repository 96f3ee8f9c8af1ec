import type { Command } from "commander";
import type { Action } from "./action.ts";
import type { ServeOptions } from "./serve.ts";

/** Declares what `sendctl serve` takes. */
export function declareServe(command: Command, action: Action): void {
  command
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <n>", "the port, 0 for any that is free", "4010")
    .option("--rate-limit <n>", "requests a second that each key may make (otherwise any number)")
    .option(
      "--auto-approve-after <duration>",
      "how long a sender ID stays PENDING, like 5s, or 0s for not at all (otherwise for ever)",
    )
    .option(
      "--fault <specification>",
      "what goes wrong on purpose, as often as you like: see `sendctl help faults`",
      (specification: string, others: readonly string[] | undefined) => [
        ...(others ?? []),
        specification,
      ],
    )
    .action(
      action(async (context, options: ServeOptions) =>
        (await import("./serve.ts")).serve(context, options),
      ),
    );
}
