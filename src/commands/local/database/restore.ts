import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, flag, optional } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { safeText } from "../../../output/safe-text.ts";
import { required, unconfirmed } from "../../arguments.ts";
import { databaseView, heldText, isNothing } from "./views.ts";
import { withProgress } from "./with-progress.ts";

export const localRestore = defineCommand({
  path: "local restore",
  summary: "Restore the database from a backup",
  description:
    "Replace everything in the embedded database by what a backup holds. The backup is checked first. All or nothing; other processes may have the database open.",
  args: { file: optional("the backup, which is not changed", { takes: "file" }) },
  options: { yes: flag("-y, --yes", "replace without asking") },
  examples: ["sendctl local restore friday.db", "sendctl local restore friday.db --yes"],
  async run(context, { file }, options) {
    return restore(context, file, options);
  },
});

interface ConfirmOptions {
  readonly yes?: boolean;
}

/** Puts a backup in the database's place, once it is checked and that is confirmed. */
async function restore(
  context: Capabilities,
  given: string | undefined,
  { yes = false }: ConfirmOptions,
): Promise<ExitCode> {
  const file = await required(context.ask, given, "FILE", "Backup to restore");
  const maintenance = await context.local.database();
  const prepared = await withProgress(context.output, "Read", (report) =>
    maintenance.prepareRestore(file, report),
  );
  try {
    const { current, counts } = prepared;
    const isAnything = current === "damaged" || (current !== undefined && !isNothing(current));
    if (isAnything && !yes) {
      const prompter = context.ask.prompter();
      if (prompter === undefined) {
        throw unconfirmed("restore");
      }
      const old = current === "damaged" ? "it is damaged" : heldText(current);
      const what = `all that ${safeText(context.config.settings.database)} holds (${old})`;
      const by = `what ${safeText(file)} holds (${heldText(counts)})`;
      if (!(await prompter.confirm(`Replace ${what} by ${by}?`)))
        return await context.output.declined("Nothing restored");
    }
    const report = await withProgress(context.output, "Restored", prepared.carryOut);
    if (report.damaged_database !== null) {
      const kept = safeText(report.damaged_database);
      await context.output.warn(
        `the damaged database is kept as ${kept}; start again what had it open`,
      );
    }
    return await context.output.record(doneReply("Database restored", report), databaseView);
  } finally {
    prepared.discard();
  }
}
