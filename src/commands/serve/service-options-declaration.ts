import type { Command } from "commander";

/** What every service of the embedded engine takes. */
export function serviceOptions(command: Command): Command {
  return command
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
    );
}
