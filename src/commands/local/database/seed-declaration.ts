import type { Command } from "commander";
import type { Action } from "../../action.ts";
import { examples } from "../../declare.ts";
import type { SeedOptions } from "./seed.ts";

/** Declares `sendctl local seed`. */
export function declareSeed(local: Command, action: Action): void {
  examples(
    local
      .command("seed")
      .summary("Add made-up records")
      .description(
        "Add made-up sender IDs, groups and contacts, which look like real ones. The same random seed gives the same records.",
      )
      .option("--sender-ids <n>", "how many sender IDs (5)")
      .option("--groups <n>", "how many groups (20)")
      .option("--contacts <n>", "how many contacts, spread over those groups (200)")
      .option("--random-seed <text>", "what they are made of, a number or any text")
      .option("--integration <name>", "the integration that gets them (otherwise the key's)")
      .action(
        action(async (context, options: SeedOptions) =>
          (await import("./seed.ts")).seed(context, options),
        ),
      ),
    [
      "sendctl local seed",
      "sendctl local seed --groups 1000 --contacts 5000 --random-seed demo --json",
    ],
  );
}
