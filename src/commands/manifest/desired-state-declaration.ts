import type { Command } from "commander";
import type { Action } from "../action.ts";
import type { ApplyOptions } from "./apply.ts";
import type { DesiredStateOptions } from "./desired-state.ts";

/** Declares what follows `sendctl diff`. */
export function declareDiff(command: Command, action: Action): void {
  planOptions(command).action(
    action(async (context, options: DesiredStateOptions) =>
      (await import("./diff.ts")).diff(context, options),
    ),
  );
}

/** Declares what follows `sendctl apply`. */
export function declareApply(command: Command, action: Action): void {
  planOptions(command)
    .option("-y, --yes", "apply without asking")
    .action(
      action(async (context, options: ApplyOptions) =>
        (await import("./apply.ts")).apply(context, options),
      ),
    );
}

/** Declares what follows `sendctl export`. */
export function declareExport(command: Command, action: Action): void {
  command.action(action(async (context) => (await import("./export.ts")).exportManifest(context)));
}

/** What one planner takes. */
function planOptions(command: Command): Command {
  return command
    .option(
      "-f, --file <file>",
      "the manifest: YAML or JSON, - for standard input, a folder for many; may be given again",
      (file: string, files: readonly string[] | undefined) => [...(files ?? []), file],
    )
    .option("--prune", "delete what the manifest does not name, in the sections that it has")
    .option("--max-deletes <n>", "the most that --prune may delete (5 where nothing is said)")
    .option("--replace", "delete and create anew the sender IDs that have another purpose")
    .option("--resend-sender-id", "send the sender ID of every group that names one");
}
