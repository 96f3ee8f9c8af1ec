import { defineCommand, flag } from "../../../cli/define-command.ts";
import { reset } from "./database.ts";

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
