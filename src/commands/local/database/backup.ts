import { defineCommand, flag, optional } from "../../../cli/define-command.ts";
import type { Output } from "../../../output/output.ts";
import { doneReply } from "../../../output/replies.ts";
import { safeText } from "../../../output/safe-text.ts";
import { confirm, required } from "../../arguments.ts";
import { backupView, contentText, databaseView, isEmpty } from "./views.ts";

export const localBackup = defineCommand({
  path: "local backup",
  summary: "Back up the database to a file",
  description:
    "Back up the embedded database to a file. Other processes can write meanwhile. The backup is checked before it gets its name.",
  args: { file: optional("file to create", { takes: "file" }) },
  options: { force: flag("--force", "replace an existing file") },
  examples: ["sendctl local backup friday.db", "sendctl local backup friday.db --force --json"],
  async run({ ask, local, output }, given, { force }) {
    const file = await required(ask, given.file, "FILE", "File to create");
    const maintenance = await local.database();
    const report = await withProgress(output, "Copied", (progress) =>
      maintenance.backup(file, force, progress),
    );
    return output.record(doneReply("Database backed up", report), backupView);
  },
});

/** The backup is checked before the question. */
export const localRestore = defineCommand({
  path: "local restore",
  summary: "Restore the database from a backup",
  description:
    "Replace everything in the embedded database with the contents of a backup. The backup is checked first. All or nothing; other processes may have the database open.",
  args: { file: optional("backup file; it is not changed", { takes: "file" }) },
  options: { yes: flag("-y, --yes", "replace without confirmation") },
  examples: ["sendctl local restore friday.db", "sendctl local restore friday.db --yes"],
  async run(context, given, { yes }) {
    const { ask, config, local, output } = context;
    const file = await required(ask, given.file, "FILE", "Backup to restore");
    const maintenance = await local.database();
    const prepared = await withProgress(output, "Read", (progress) =>
      maintenance.prepareRestore(file, progress),
    );
    try {
      const { current, counts } = prepared;
      const hasContent = current === "damaged" || (current !== undefined && !isEmpty(current));
      if (hasContent && !yes) {
        const old = current === "damaged" ? "damaged" : contentText(current);
        const what = `the contents of ${config.settings.database} (${old})`;
        const question = `Replace ${what} with those of ${file} (${contentText(counts)})?`;
        await confirm(context, "restore", question, "Nothing restored");
      }
      const report = await withProgress(output, "Restored", prepared.carryOut);
      if (report.damaged_database !== null) {
        const moved = safeText(report.damaged_database);
        await output.warn(
          `the damaged database was moved to ${moved}; restart processes that have it open`,
        );
      }
      return await output.record(doneReply("Database restored", report), databaseView);
    } finally {
      prepared.discard();
    }
  },
});

/**
 * Shows the progress of an operation while it runs.
 *
 * @param done a participle for the progress text, such as "Copied"
 */
async function withProgress<Result>(
  output: Output,
  done: string,
  body: (report: (share: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = output.progress();
  try {
    return await body((share) => void progress.update(`${done} ${Math.floor(share * 100)}%`));
  } finally {
    await progress.done();
  }
}
