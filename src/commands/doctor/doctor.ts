import { defineCommand } from "../../cli/define-command.ts";
import { reportChecks } from "./report.ts";

export const doctor = defineCommand({
  path: "doctor",
  description:
    "Diagnose problems with Node, the database, the config file, the profile, the key, the network and the clock, and suggest fixes. It changes nothing.",
  examples: ["sendctl doctor", "sendctl doctor --json"],
  async run(context) {
    return reportChecks(context);
  },
});
