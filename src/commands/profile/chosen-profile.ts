import type { Capabilities } from "../../cli/capabilities.ts";
import { findProfile } from "../../config/profiles.ts";
import { SendctlError } from "../../contract/error.ts";
import { missing } from "../arguments.ts";

/**
 * Returns the name of an existing profile: the given one, or one chosen from a list.
 *
 * @param argument as in the help: `NAME`
 * @throws SendctlError "usage" for an unknown name, or if there is none to choose or nobody to ask
 */
export async function chosenProfile(
  { ask, config }: Pick<Capabilities, "ask" | "config">,
  given: string | undefined,
  argument: string,
): Promise<string> {
  if (given !== undefined) {
    // An unknown name is reported before a config file is written.
    findProfile(config.read(), given);
    return given;
  }
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(argument);
  const { profiles, current } = config.read();
  if (profiles.size === 0) {
    throw new SendctlError("usage", "no profiles exist", { hint: "sendctl login" });
  }
  const choices = [...profiles.keys()].map((name) => ({ value: name, name }));
  return prompter.select("Profile", choices, current);
}
