import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, flag } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { safeText } from "../../../output/safe-text.ts";
import { contentText, isEmpty } from "./views.ts";
import { unconfirmed } from "../../arguments.ts";

export const localReset = defineCommand({
  path: "local reset",
  summary: "Empty the database",
  description:
    "Empty the embedded database: delete all keys, sender IDs, groups, contacts, and integrations except the default one. Ids start at 1 again.",
  options: {
    keepKeys: flag("--keep-keys", "keep keys and their integrations"),
    yes: flag("-y, --yes", "delete without confirmation"),
  },
  examples: ["sendctl local reset --yes", "sendctl local reset --keep-keys --yes"],
  async run(context, _, options) {
    return reset(context, options);
  },
});

interface ResetOptions {
  readonly yes?: boolean;
  readonly keepKeys?: boolean;
}

/** Empties the database after a confirmation. */
async function reset(
  context: Capabilities,
  { yes = false, keepKeys = false }: ResetOptions,
): Promise<ExitCode> {
  const maintenance = await context.local.database();
  const info = await maintenance.info();
  if (!info.exists)
    return context.output.done(doneReply("Nothing to reset: the database does not exist", null));
  if (!yes && !isEmpty(info)) {
    const prompter = context.ask.prompter();
    if (prompter === undefined) throw unconfirmed("reset");
    const except = keepKeys ? ", except keys and their integrations" : "";
    const what = `everything in ${safeText(info.database)}${except}: ${contentText(info)}`;
    if (!(await prompter.confirm(`Delete ${what}?`)))
      return context.output.declined("Nothing deleted");
  }
  const deleted = await maintenance.reset(keepKeys);
  if (deleted === undefined)
    return context.output.done(doneReply("Nothing to reset: the database was removed", null));
  await context.output.say(`The database contained ${contentText(deleted)}`);
  return context.output.done(
    doneReply("Database reset", { database: info.database, held: deleted }),
  );
}
