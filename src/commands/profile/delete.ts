import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand, optional } from "../../cli/define-command.ts";
import { findProfile } from "../../config/profiles.ts";
import type { Settings } from "../../config/settings.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { refuseDryRun, unconfirmed } from "../arguments.ts";
import { deleteOptions } from "../common-options.ts";
import type { DeleteOptions } from "../records/confirm-delete.ts";
import { chosenProfile } from "./chosen-profile.ts";

export const profileDelete = defineCommand({
  path: "profile delete",
  aliases: ["rm"],
  summary: "Delete a profile",
  description: "Delete a profile and its key.",
  args: { name: optional("profile name", { takes: "profile" }) },
  options: deleteOptions,
  examples: ["sendctl profile delete prod --yes"],
  async run(context, { name }, options) {
    return deleteProfile(context, name, options);
  },
});

/** Deletes a profile after a confirmation. If it was the current one, none is current afterwards. */
async function deleteProfile(
  context: Capabilities,
  given: string | undefined,
  options: DeleteOptions,
): Promise<ExitCode> {
  refuseDryRun(context);
  const name = await chosenProfile(context, given, "NAME");
  if (options.yes !== true) {
    const prompter = context.ask.prompter();
    if (prompter === undefined) {
      throw unconfirmed("delete");
    }
    if (!(await prompter.confirm(`Delete profile ${safeText(name)} and its key?`))) {
      return context.output.declined("Nothing deleted");
    }
  }
  let wasCurrent = false;
  await context.config.change((config) => {
    findProfile(config, name);
    wasCurrent = config.current === name;
    const profiles = new Map([...config.profiles].filter(([other]) => other !== name));
    return { ...config, profiles, current: wasCurrent ? undefined : config.current };
  });
  if (wasCurrent) await context.output.warn(withoutProfile(context.config.settings));
  return context.output.done(doneReply("Profile deleted", null));
}

/** Says what commands work on without a current profile. @param settings resolved without the config file */
function withoutProfile({ profile, baseUrl, database }: Settings): string {
  // Each command names a profile of its own.
  if (profile !== undefined) return "No current profile: select one with sendctl profile use NAME";
  return safeText(
    `No current profile: commands now use ${baseUrl ?? `the embedded engine, ${database}`}`,
  );
}
