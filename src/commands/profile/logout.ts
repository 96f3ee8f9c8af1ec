import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand } from "../../cli/define-command.ts";
import { findProfile } from "../../config/profiles.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { refuseDryRun } from "../arguments.ts";

export const logout = defineCommand({
  path: "logout",
  description: "Remove the key or key command of a profile, and keep its other settings.",
  examples: ["sendctl logout", "sendctl logout --profile prod"],
  async run(context) {
    return removeKey(context);
  },
});

/** Removes the key or key command of a profile. */
async function removeKey(context: Capabilities): Promise<ExitCode> {
  refuseDryRun(context);
  const { settings } = context.config;
  const config = context.config.read();
  const name = settings.profile ?? config.current;
  if (name === undefined) {
    return context.output.done(doneReply("No current profile: no key to remove", null));
  }
  const source = settings.profile === undefined ? "current" : "--profile or SENDCTL_PROFILE";
  const found = findProfile(config, name, source);
  if (found.secretKey === undefined && found.keyCommand === undefined) {
    return context.output.done(doneReply(`Profile ${safeText(name)} has no key`, null));
  }
  await context.config.change((latest) => {
    const { secretKey, keyCommand, ...rest } = findProfile(latest, name, source);
    if (secretKey === undefined && keyCommand === undefined) return latest;
    return { ...latest, profiles: new Map(latest.profiles).set(name, rest) };
  });
  return context.output.done(doneReply(`Key of profile ${safeText(name)} removed`, null));
}
