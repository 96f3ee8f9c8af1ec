import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, flag } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { safeText } from "../../../output/safe-text.ts";
import { heldText, isNothing } from "./views.ts";
import { unconfirmed } from "../../arguments.ts";

export const localReset = defineCommand({
  path: "local reset",
  summary: "Empty the database",
  description:
    "Empty the embedded database: delete all keys, sender IDs, groups, contacts, and integrations except the default one. Ids start at 1 again.",
  options: {
    keepKeys: flag("--keep-keys", "keep the keys and their integrations"),
    yes: flag("-y, --yes", "delete without asking"),
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

/** Empties the database, once that is confirmed. */
async function reset(
  context: Capabilities,
  { yes = false, keepKeys = false }: ResetOptions,
): Promise<ExitCode> {
  const maintenance = await context.local.database();
  const info = await maintenance.info();
  if (!info.exists)
    return context.output.done(doneReply("Nothing to reset: it is not made yet", null));
  if (!yes && !isNothing(info)) {
    const prompter = context.ask.prompter();
    if (prompter === undefined) throw unconfirmed("reset");
    const but = keepKeys ? ", but keys and their integrations" : "";
    const what = `all that ${safeText(info.database)} holds${but}: ${heldText(info)}`;
    if (!(await prompter.confirm(`Delete ${what}?`)))
      return context.output.declined("Nothing deleted");
  }
  const held = await maintenance.reset(keepKeys);
  if (held === undefined)
    return context.output.done(doneReply("Nothing to reset: it is gone", null));
  await context.output.say(`It held ${heldText(held)}`);
  return context.output.done(doneReply("Database reset", { database: info.database, held }));
}
