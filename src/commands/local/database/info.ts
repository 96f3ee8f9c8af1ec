import { defineCommand } from "../../../cli/define-command.ts";
import { showInfo } from "./database.ts";

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
