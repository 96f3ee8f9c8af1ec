import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { doneReply } from "../../../output/replies.ts";
import { databaseView, notMade } from "./views.ts";

export const localInfo = defineCommand({
  path: "local info",
  summary: "Show where the database is and what it holds",
  description:
    "Show where the embedded database is, its size and its record counts. Never creates a database.",
  examples: ["sendctl local info", "sendctl local info --json"],
  async run(context) {
    return showInfo(context);
  },
});

async function showInfo(context: Capabilities): Promise<ExitCode> {
  const info = await (await context.local.database("read")).info();
  const message = info.exists ? "Database retrieved" : notMade;
  return context.output.record(doneReply(message, info), databaseView);
}
