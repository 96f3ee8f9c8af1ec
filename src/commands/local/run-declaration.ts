import type { Command } from "commander";
import type { Action } from "../action.ts";
import { examples } from "../declare.ts";
import type { RunOptions } from "./run.ts";
import { serviceOptions } from "../serve/service-options-declaration.ts";

/** Declares `sendctl local run`; all that follows its first word is that command's. */
export function declareRun(local: Command, action: Action): void {
  local.enablePositionalOptions();
  examples(
    serviceOptions(local.command("run"))
      .passThroughOptions()
      .summary("Run a command with a service of its own")
      .description(
        "Run a command with a service of its own: on a free port, over a database that is gone afterwards. The command finds it by SENDCTL_BASE_URL and SENDCTL_SECRET_KEY in its environment, and its exit code is passed on.",
      )
      .argument("[command...]", "the command and its arguments, after --")
      .option(
        "--seed <file>",
        "a manifest of what is there when the command starts, as `apply -f` takes it",
        (file: string, files: readonly string[] | undefined) => [...(files ?? []), file],
      )
      .action(
        action(async (context, words: string[], options: RunOptions) =>
          (await import("./run.ts")).runLocally(context, words, options),
        ),
      ),
    [
      "sendctl local run -- node --version",
      "sendctl local run --seed sendctl.yaml -- node --version",
      `sendctl local run --rate-limit 5 -- sh -c 'echo "$SENDCTL_BASE_URL"'`,
    ],
  );
}
