import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand, flag, optional } from "../../cli/define-command.ts";
import { findProfile, saveBehaviour } from "../../config/profiles.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
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
  async run(context, { name, file }, { clear }) {
    return setBehaviour(context, name, file, clear);
  },
});

/** Stores the behaviour in a file, or removes that of a profile. @throws SendctlError "usage" */
async function setBehaviour(
  context: Capabilities,
  given: string | undefined,
  file: string | undefined,
  isCleared: boolean,
): Promise<ExitCode> {
  refuseDryRun(context);
  if (isCleared && file !== undefined) throw contradiction("--clear", "FILE");
  const name = await required(context.ask, given, "NAME", "Name of the profile");
  // A mistake is reported before a config file is written.
  findProfile(context.config.read(), name, "NAME");
  if (!isCleared && file === undefined) throw missing("FILE");
  const behaviour = file === undefined ? undefined : await context.input.behaviour(file);
  await context.config.change(saveBehaviour(name, behaviour));
  const count = Object.keys(behaviour ?? {}).length;
  const what = count === 1 ? "1 switch" : `${count} switches`;
  const message = isCleared
    ? `Behaviour of profile ${name} removed`
    : `Behaviour of profile ${name} stored: ${what}`;
  const data = { name, behaviour: behaviour ?? null };
  return context.output.done(doneReply(safeText(message), data));
}
