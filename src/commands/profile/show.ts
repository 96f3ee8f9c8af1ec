import { defineCommand, optional } from "../../cli/define-command.ts";
import { showProfile } from "./profile.ts";

export const profileShow = defineCommand({
  path: "profile show",
  summary: "Show the settings",
  description:
    "Show each setting with a profile, or with the current one, and its source: a flag, the environment, the profile or the default.",
  args: { name: optional("its name", { takes: "profile" }) },
  examples: ["sendctl profile show", "sendctl profile show prod --json"],
  async run(context, { name }) {
    return showProfile(context, name);
  },
});
