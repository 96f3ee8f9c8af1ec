import { defineCommand, optional } from "../../cli/define-command.ts";
import { findProfile } from "../../config/profiles.ts";
import { doneReply } from "../../output/replies.ts";
import { refuseDryRun } from "../arguments.ts";
import { chosenProfile } from "./chosen-profile.ts";

export const profileUse = defineCommand({
  path: "profile use",
  summary: "Select the current profile",
  description: "Select the profile to use when a command names none.",
  args: { name: optional("profile name", { takes: "profile" }) },
  examples: ["sendctl profile use prod"],
  async run(context, given) {
    refuseDryRun(context);
    const name = await chosenProfile(context, given.name, "NAME");
    const { settings, change } = context.config;
    await change((config) => {
      findProfile(config, name);
      return config.current === name ? config : { ...config, current: name };
    });
    if (settings.sources.mode === "environment") {
      const variable = settings.baseUrl === undefined ? "SENDCTL_DATABASE" : "SENDCTL_BASE_URL";
      await context.output.warn(`${variable} is set and overrides the profile`);
    }
    return context.output.done(doneReply(`Current profile: ${name}`, { name }));
  },
});
