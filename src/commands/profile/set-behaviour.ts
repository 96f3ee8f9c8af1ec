import { defineCommand, flag, optional } from "../../cli/define-command.ts";
import { findProfile, saveBehaviour } from "../../config/profiles.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { contradiction, missing, refuseDryRun, required } from "../arguments.ts";

export const profileSetBehaviour = defineCommand({
  path: "profile set-behaviour",
  summary: "Store a behaviour file in a profile",
  description:
    "Store in a profile how its service behaves where the specification is silent, in place of the behaviour that the profile has. Commands then rely on it, which saves requests. Everything that the file leaves out is unknown.",
  args: {
    name: optional("profile name", { takes: "profile" }),
    file: optional("behaviour file in YAML or JSON; - for standard input"),
  },
  options: { clear: flag("--clear", "remove the behaviour of the profile") },
  examples: [
    "sendctl profile set-behaviour prod behaviour.yaml",
    "sendctl profile set-behaviour prod --clear",
  ],
  async run(context, { name: given, file }, { clear }) {
    refuseDryRun(context);
    if (clear && file !== undefined) throw contradiction("--clear", "FILE");
    const name = await required(context.ask, given, "NAME", "Name of the profile");
    // A mistake is reported before a config file is written.
    findProfile(context.config.read(), name, "NAME");
    if (!clear && file === undefined) throw missing("FILE");
    const behaviour = file === undefined ? undefined : await context.input.behaviour(file);
    await context.config.change(saveBehaviour(name, behaviour));
    const count = Object.keys(behaviour ?? {}).length;
    const what = clear ? "removed" : `stored: ${count} ${count === 1 ? "switch" : "switches"}`;
    const message = safeText(`Behaviour of profile ${name} ${what}`);
    return context.output.done(doneReply(message, { name, behaviour: behaviour ?? null }));
  },
});
