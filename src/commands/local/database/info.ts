import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { databaseView, notCreated } from "./views.ts";

export const localInfo = defineCommand({
  path: "local info",
  summary: "Show the database location and record counts",
  description:
    "Show the location, size and record counts of the embedded database. Never creates a database.",
  examples: ["sendctl local info", "sendctl local info --json"],
  async run(context) {
    return showInfo(context);
  },
});

async function showInfo(context: Capabilities): Promise<ExitCode> {
  const info = await (await context.local.database("read")).info();
  const message = info.exists ? "Database retrieved" : notCreated;
  return context.output.record(doneReply(message, info), databaseView);
}
