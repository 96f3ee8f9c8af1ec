import { defineCommand, flag, optional } from "../../../cli/define-command.ts";
import { restore } from "./backup.ts";

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
