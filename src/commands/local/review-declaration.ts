import type { Command } from "commander";
import type { Action } from "../action.ts";
import { examples } from "../declare.ts";
import type { LocalLogOptions } from "./log.ts";

/** Declares `sendctl local review` and `sendctl local log`. */
export function declareReviewAndLog(local: Command, action: Action): void {
  examples(
    local
      .command("review")
      .summary("Set the status of a sender ID")
      .description(
        "Set the status of a sender ID, as a reviewer of the service would: from any to any.",
      )
      .argument("[name]", "its name")
      .option("--status <status>", "APPROVED, REJECTED or PENDING")
      .action(
        action(async (context, name: string | undefined, options: { status?: string }) =>
          (await import("./review.ts")).reviewSenderId(context, name, options),
        ),
      ),
    ["sendctl local review ACME --status APPROVED"],
  );

  examples(
    local
      .command("log")
      .summary("Show the requests that were served")
      .description(
        "Show the requests that `sendctl serve` answered on this database, the newest last, without their keys. They are kept beside the database, the last 8 to 16 MiB of them.",
      )
      .option("--lines <n>", "how many (50 where nothing is said)")
      .option("-f, --follow", "go on with those to come, until it is interrupted")
      .action(
        action(async (context, options: LocalLogOptions) =>
          (await import("./log.ts")).showLog(context, options),
        ),
      ),
    ["sendctl local log", "sendctl local log --lines 5 --json"],
  );
}
