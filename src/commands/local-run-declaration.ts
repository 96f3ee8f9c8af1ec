import type { Command } from "commander";
import type { Action } from "./action.ts";
import { examples } from "./declare.ts";
import type { RunOptions } from "./local-run.ts";

/** Declares `sendctl local run`; all that follows its first word is that command's. */
export function declareRun(local: Command, action: Action): void {
  local.enablePositionalOptions();
  examples(
    local
      .command("run")
      .passThroughOptions()
      .summary("Run a command with a service of its own")
      .description(
        "Run a command with a service of its own: on a free port, over a database that is gone afterwards. The command finds it by SENDCTL_BASE_URL and SENDCTL_SECRET_KEY in its environment, and its exit code is passed on.",
      )
      .argument("[command...]", "the command and its arguments, after --")
      .option(
        "--rate-limit <n>",
        "requests a second that the command may make (otherwise any number)",
      )
      .action(
        action(async (context, words: string[], options: RunOptions) =>
          (await import("./local-run.ts")).runLocally(context, words, options),
        ),
      ),
    [
      "sendctl local run -- node --version",
      `sendctl local run --rate-limit 5 -- sh -c 'echo "$SENDCTL_BASE_URL"'`,
    ],
  );
}
