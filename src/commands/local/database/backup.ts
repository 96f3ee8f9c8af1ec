import type { Capabilities } from "../../../cli/capabilities.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { safeText } from "../../../output/safe-text.ts";
import { doneReply } from "../../../output/replies.ts";
import { required } from "../../arguments.ts";
import { backupView, databaseView, heldText, isNothing } from "./views.ts";
import { defineCommand, flag, optional } from "../../../cli/define-command.ts";

export const localBackup = defineCommand({
  path: "local backup",
  summary: "Back up the database to a file",
  description:
    "Back up the embedded database to a file. Other processes may write meanwhile. The backup is checked before it gets its name.",
  args: { file: optional("the file to create", { takes: "file" }) },
  options: { force: flag("--force", "replace an existing file") },
  examples: ["sendctl local backup friday.db", "sendctl local backup friday.db --force --json"],
  async run(context, { file }, options) {
    return backup(context, file, options);
  },
});

interface BackupOptions {
  readonly force?: boolean;
}

interface ConfirmOptions {
  readonly yes?: boolean;
}

async function backup(
  context: Capabilities,
  given: string | undefined,
  { force = false }: BackupOptions,
): Promise<ExitCode> {
  const file = await required(context.ask, given, "FILE", "File to make");
  const keeping = await context.local.database();
  const report = await withProgress(context, "Copied", (tell) => keeping.backup(file, force, tell));
  return context.output.record(doneReply("Database backed up", report), backupView);
}

/** Puts a backup in the database's place, once it is checked and that is confirmed. */
export async function restore(
  context: Capabilities,
  given: string | undefined,
  { yes = false }: ConfirmOptions,
): Promise<ExitCode> {
  const file = await required(context.ask, given, "FILE", "Backup to restore");
  const keeping = await context.local.database();
  const prepared = await withProgress(context, "Read", (tell) =>
    keeping.prepareRestore(file, tell),
  );
  try {
    const { current, holding } = prepared;
    const isAnything = current === "damaged" || (current !== undefined && !isNothing(current));
    if (isAnything && !yes) {
      const prompter = context.ask.prompter();
      if (prompter === undefined) {
        throw new SendctlError("usage", "A restore has to be confirmed: give --yes");
      }
      const old = current === "damaged" ? "it is damaged" : heldText(current);
      const what = `all that ${safeText(context.config.settings.database)} holds (${old})`;
      const by = `what ${safeText(file)} holds (${heldText(holding)})`;
      if (!(await prompter.confirm(`Replace ${what} by ${by}?`)))
        return await context.output.declined("Nothing restored");
    }
    const report = await withProgress(context, "Restored", prepared.carryOut);
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

/** @param done what is done with each part: "Copied", say */
async function withProgress<Result>(
  context: Capabilities,
  done: string,
  body: (tell: (share: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = context.output.progress();
  try {
    return await body((share) => void progress.update(`${done} ${Math.floor(share * 100)}%`));
  } finally {
    await progress.done();
  }
}
