import { defineCommand } from "../../cli/define-command.ts";
import { findProfile } from "../../config/profiles.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { refuseDryRun } from "../arguments.ts";

export const logout = defineCommand({
  path: "logout",
  description: "Remove the key or key command of a profile, and keep its other settings.",
  examples: ["sendctl logout", "sendctl logout --profile prod"],
  async run(context) {
    refuseDryRun(context);
    const { settings, read, change } = context.config;
    const done = (message: string) => context.output.done(doneReply(safeText(message), null));
    const config = read();
    const name = settings.profile ?? config.current;
    if (name === undefined) return done("No current profile: no key to remove");
    const source = settings.profile === undefined ? "current" : "--profile or SENDCTL_PROFILE";
    const found = findProfile(config, name, source);
    if (found.secretKey === undefined && found.keyCommand === undefined) {
      return done(`Profile ${name} has no key`);
    }
    await change((latest) => {
      const { secretKey: _, keyCommand: __, ...rest } = findProfile(latest, name, source);
      return { ...latest, profiles: new Map(latest.profiles).set(name, rest) };
    });
    return done(`Key of profile ${name} removed`);
  },
});
