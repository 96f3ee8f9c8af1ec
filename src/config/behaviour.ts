import { isAllowed, ruleOf, switchNames } from "../behaviour/check.ts";
import { contradictionsIn, type PartialBehaviour, type SwitchName } from "../contract/behaviour.ts";
import { SendctlError } from "../contract/error.ts";
import { jsonText } from "../contract/text/json-text.ts";
import { nearest } from "../contract/text/nearest.ts";
import type { StoredBehaviour } from "./profiles.ts";

/**
 * Returns the behaviour that a profile has. Not part of src/config/profiles.ts, because few commands need the table of
 * switches.
 *
 * @param file the config file
 * @throws SendctlError "usage" that names the path of the first invalid switch in that file
 */
export function checkedBehaviour(
  stored: StoredBehaviour,
  profile: string,
  file: string,
): PartialBehaviour {
  const invalidAt = (name: string, problem: string): SendctlError =>
    new SendctlError(
      "usage",
      `the config file ${file} is invalid: profiles.${profile}.behaviour.${name} ${problem}`,
      { hint: "sendctl profile set-behaviour replaces it", file },
    );
  for (const [name, value] of Object.entries(stored)) {
    if (!isSwitch(name)) {
      const near = nearest(name, switchNames);
      const help = near === undefined ? "" : `; did you mean ${near}?`;
      throw invalidAt(name, `is not a known switch${help}`);
    }
    if (isAllowed(name, value)) continue;
    const rule = ruleOf(name).slice(name.length + 1);
    throw invalidAt(name, `${rule}, not ${jsonText(value)}`);
  }
  const [contradiction] = contradictionsIn(stored);
  if (contradiction === undefined) return stored;
  const { one, other, reason } = contradiction;
  throw invalidAt(other, `contradicts ${one}: ${reason}`);
}

function isSwitch(name: string): name is SwitchName {
  return switchNames.some((known) => known === name);
}
