import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, flag, optional } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { safeText } from "../../../output/safe-text.ts";
import { required, unconfirmed } from "../../arguments.ts";
import { databaseView, contentText, isEmpty } from "./views.ts";
import { withProgress } from "./with-progress.ts";

export const localRestore = defineCommand({
  path: "local restore",
  summary: "Restore the database from a backup",
  description:
    "Replace everything in the embedded database with the contents of a backup. The backup is checked first. All or nothing; other processes may have the database open.",
  args: { file: optional("backup file; it is not changed", { takes: "file" }) },
  options: { yes: flag("-y, --yes", "replace without confirmation") },
  examples: ["sendctl local restore friday.db", "sendctl local restore friday.db --yes"],
  async run(context, { file }, options) {
    return restore(context, file, options);
  },
});

interface ConfirmOptions {
  readonly yes?: boolean;
}

/** Replaces the database with a backup, after checking the backup and asking for confirmation. */
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
    const hasContent = current === "damaged" || (current !== undefined && !isEmpty(current));
    if (hasContent && !yes) {
      const prompter = context.ask.prompter();
      if (prompter === undefined) {
        throw unconfirmed("restore");
      }
      const old = current === "damaged" ? "damaged" : contentText(current);
      const what = `the contents of ${safeText(context.config.settings.database)} (${old})`;
      const by = `those of ${safeText(file)} (${contentText(counts)})`;
      if (!(await prompter.confirm(`Replace ${what} with ${by}?`)))
        return await context.output.declined("Nothing restored");
    }
    const report = await withProgress(context.output, "Restored", prepared.carryOut);
    if (report.damaged_database !== null) {
      const moved = safeText(report.damaged_database);
      await context.output.warn(
        `the damaged database was moved to ${moved}; restart processes that have it open`,
      );
    }
    return await context.output.record(doneReply("Database restored", report), databaseView);
  } finally {
    prepared.discard();
  }
}
