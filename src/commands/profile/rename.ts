import { defineCommand, optional } from "../../cli/define-command.ts";
import { checkProfileName, findProfile, type Config } from "../../config/profiles.ts";
import { SendctlError } from "../../contract/error.ts";
import { shellWord } from "../../contract/text/shell-word.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { refuseDryRun, required } from "../arguments.ts";
import { chosenProfile } from "./chosen-profile.ts";

export const profileRename = defineCommand({
  path: "profile rename",
  aliases: ["mv"],
  summary: "Rename a profile",
  description: "Rename a profile. Its settings and its key are kept.",
  args: {
    old: optional("current name", { takes: "profile" }),
    new: optional("new name: letters, digits, dots, dashes and underscores"),
  },
  examples: ["sendctl profile rename prod production"],
  async run(context, given) {
    refuseDryRun(context);
    const from = await chosenProfile(context, given.old, "OLD");
    const to = await required(context.ask, given.new, "NEW", "New name of the profile");
    checkProfileName(to);
    // A mistake is reported before a config file is written.
    renamed(context.config.read(), from, to);
    await context.config.change((config) => renamed(config, from, to));
    const message = safeText(`Profile ${from} renamed to ${to}`);
    return context.output.done(doneReply(message, { name: to, previous_name: from }));
  },
});

/** Renames a profile; the current one stays current. @throws SendctlError "usage" for an unknown or used name */
function renamed(config: Config, from: string, to: string): Config {
  findProfile(config, from);
  if (from === to) return config;
  if (config.profiles.has(to)) {
    throw new SendctlError("usage", `profile "${to}" already exists`, {
      hint: `choose another name, or run sendctl profile delete ${shellWord(to)}`,
    });
  }
  const profiles = new Map(
    [...config.profiles].map(([name, profile]) => [name === from ? to : name, profile]),
  );
  return { ...config, profiles, current: config.current === from ? to : config.current };
}
