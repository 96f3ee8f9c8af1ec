import type { Capabilities } from "../../cli/capabilities.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { safeText } from "../../output/safe-text.ts";
import { emptyValue } from "../arguments.ts";

/** Reads the file of `--behaviour`; undefined without one. @throws SendctlError "usage" */
export async function behaviourOfFile(
  file: string | undefined,
  { input }: Pick<Capabilities, "input">,
): Promise<PartialBehaviour | undefined> {
  if (file === "") throw emptyValue("--behaviour", "pass a behaviour file");
  return file === undefined ? undefined : input.behaviour(file);
}

/** Prints how much the behaviour of a service differs from the engine's own, and where it is from. */
export async function announceBehaviour(
  { output, config }: Pick<Capabilities, "output" | "config">,
  file: string | undefined,
  changed: PartialBehaviour,
): Promise<void> {
  const count = Object.keys(changed).length;
  if (file === undefined && count === 0) return;
  const source = file ?? `profile ${config.settings.profile}`;
  const differ = count === 1 ? "1 switch differs" : `${count === 0 ? "no" : count} switches differ`;
  await output.say(safeText(`Behaviour of ${source}: ${differ} from the engine's own`));
}
