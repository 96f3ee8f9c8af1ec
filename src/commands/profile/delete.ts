import { defineCommand, optional } from "../../cli/define-command.ts";
import { findProfile } from "../../config/profiles.ts";
import type { Settings } from "../../config/settings.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { confirm, refuseDryRun } from "../arguments.ts";
import { deleteOptions } from "../common-options.ts";
import { chosenProfile } from "./chosen-profile.ts";

export const profileDelete = defineCommand({
  path: "profile delete",
  aliases: ["rm"],
  summary: "Delete a profile",
  description: "Delete a profile and its key.",
  args: { name: optional("profile name", { takes: "profile" }) },
  options: deleteOptions,
  examples: ["sendctl profile delete prod --yes"],
  /** If the profile was the current one, none is current afterwards. */
  async run(context, given, { yes }) {
    const { config, output } = context;
    refuseDryRun(context);
    const name = await chosenProfile(context, given.name, "NAME");
    if (!yes) {
      await confirm(context, "delete", `Delete profile ${name} and its key?`, "Nothing deleted");
    }
    let wasCurrent = false;
    await config.change((latest) => {
      findProfile(latest, name);
      wasCurrent = latest.current === name;
      const profiles = new Map([...latest.profiles].filter(([other]) => other !== name));
      return { ...latest, profiles, current: wasCurrent ? undefined : latest.current };
    });
    if (wasCurrent) await output.warn(withoutProfile(config.settings));
    return output.done(doneReply("Profile deleted", null));
  },
});

/** Says what commands work on without a current profile. @param settings resolved without the config file */
function withoutProfile({ profile, baseUrl, database }: Settings): string {
  // Each command names a profile of its own.
  if (profile !== undefined) return "No current profile: select one with sendctl profile use NAME";
  return safeText(
    `No current profile: commands now use ${baseUrl ?? `the embedded engine, ${database}`}`,
  );
}
