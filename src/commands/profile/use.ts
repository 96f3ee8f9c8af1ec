import { defineCommand, optional } from "../../cli/define-command.ts";
import { useProfile } from "./profile.ts";

export const profileUse = defineCommand({
  path: "profile use",
  summary: "Select the current profile",
  description: "Select the profile that is used when no other is named.",
  args: { name: optional("its name", { takes: "profile" }) },
  examples: ["sendctl profile use prod"],
  async run(context, { name }) {
    return useProfile(context, name);
  },
});
