import type { Capabilities } from "../../../cli/capabilities.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { required } from "../../arguments.ts";
import { backupView } from "./views.ts";
import { withProgress } from "./with-progress.ts";
import { defineCommand, flag, optional } from "../../../cli/define-command.ts";

export const localBackup = defineCommand({
  path: "local backup",
  summary: "Back up the database to a file",
  description:
    "Back up the embedded database to a file. Other processes can write meanwhile. The backup is checked before it gets its name.",
  args: { file: optional("file to create", { takes: "file" }) },
  options: { force: flag("--force", "replace an existing file") },
  examples: ["sendctl local backup friday.db", "sendctl local backup friday.db --force --json"],
  async run(context, { file }, options) {
    return backup(context, file, options);
  },
});

interface BackupOptions {
  readonly force?: boolean;
}

async function backup(
  context: Capabilities,
  given: string | undefined,
  { force = false }: BackupOptions,
): Promise<ExitCode> {
  const file = await required(context.ask, given, "FILE", "File to create");
  const maintenance = await context.local.database();
  const report = await withProgress(context.output, "Copied", (progress) =>
    maintenance.backup(file, force, progress),
  );
  return context.output.record(doneReply("Database backed up", report), backupView);
}
