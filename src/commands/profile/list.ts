import { defineCommand } from "../../cli/define-command.ts";
import { listProfiles } from "./profile.ts";

export const profileList = defineCommand({
  path: "profile list",
  aliases: ["ls"],
  summary: "List profiles",
  description: "List profiles, with the last characters of their keys.",
  examples: ["sendctl profile list", "sendctl profile list --json"],
  async run(context) {
    return listProfiles(context);
  },
});
