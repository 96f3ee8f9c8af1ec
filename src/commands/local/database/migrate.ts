import { defineCommand, flag } from "../../../cli/define-command.ts";
import { exitCodes } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";

export const localMigrate = defineCommand({
  path: "local migrate",
  summary: "Create or upgrade the database schema",
  description:
    "Create the tables of the embedded database, or upgrade them to the version of this sendctl. Other commands do so when they first use the database, except `serve --no-migrate`. Safe to run in several processes at once.",
  options: {
    check: flag("--check", "report what would be done without changing anything"),
  },
  exitCodes: [
    [0, "the schema is up to date"],
    [12, "with --check: the schema is missing or older"],
  ],
  examples: ["sendctl local migrate", "sendctl local migrate --check --json"],
  async run({ local, output }, _, { check: isCheck }) {
    const maintenance = await local.database(isCheck ? "read" : "write");
    const report = await maintenance.migrate(!isCheck);
    const { from_version: from, to_version: to, compatible } = report;
    const isCurrent = from === to;
    const message = isCurrent
      ? `The schema is up to date (version ${to})`
      : from === null
        ? isCheck
          ? `The schema does not exist yet; a migration would create version ${to}`
          : `Schema created (version ${to})`
        : isCheck
          ? `The schema has version ${from}; a migration would upgrade it to version ${to}`
          : `Schema upgraded from version ${from} to version ${to}`;
    if (!isCheck || isCurrent) return output.done(doneReply(message, report));
    await output.report({ message, data: report, text: "" });
    await output.say(message);
    if (!compatible) {
      await output.warn(`stop all servers of version ${from} before you migrate`);
    }
    return exitCodes.differences;
  },
});
