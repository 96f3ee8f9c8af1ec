import { defineCommand, flag } from "../../../cli/define-command.ts";
import { doneReply } from "../../../output/replies.ts";
import { contentText, isEmpty } from "./views.ts";
import { confirm } from "../../arguments.ts";

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
  async run(context, _, { keepKeys, yes }) {
    const { local, output } = context;
    const maintenance = await local.database();
    const info = await maintenance.info();
    if (!info.exists)
      return output.done(doneReply("Nothing to reset: the database does not exist", null));
    const { database } = info;
    if (!yes && !isEmpty(info)) {
      const except = keepKeys ? ", except keys and their integrations" : "";
      const question = `Delete everything in ${database}${except}: ${contentText(info)}?`;
      await confirm(context, "reset", question, "Nothing deleted");
    }
    const deleted = await maintenance.reset(keepKeys);
    if (deleted === undefined)
      return output.done(doneReply("Nothing to reset: the database was removed", null));
    await output.say(`The database contained ${contentText(deleted)}`);
    return output.done(doneReply("Database reset", { database, held: deleted }));
  },
});
