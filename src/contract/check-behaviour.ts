import {
  contradictionsIn,
  isAllowed,
  switches,
  switchNames,
  type PartialBehaviour,
  type Switch,
  type SwitchName,
  type SwitchValue,
} from "./behaviour.ts";
import { SendctlError } from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import { nearest } from "../core/text.ts";
import { yamlText } from "../core/yaml/yaml-text.ts";

/** Describes the values of a switch: `unknown_fields must be refused or ignored`. */
export function ruleOf(name: SwitchName): string {
  const rule: Switch = switches[name];
  if ("min" in rule) return `${name} must be a whole number from ${rule.min} to ${rule.max}`;
  const texts = rule.values.map(valueText);
  return `${name} must be ${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

/** Returns a value as a behaviour file has it. */
export function valueText(value: SwitchValue | null): string {
  return typeof value === "string" ? yamlText(value, "") : String(value);
}

/**
 * Returns the behaviour that a profile has.
 *
 * @param file the config file
 * @throws SendctlError "usage" that names the path of the first invalid switch in that file
 */
export function checkedBehaviour(
  stored: Readonly<Record<string, unknown>>,
  profile: string,
  file: string,
): PartialBehaviour {
  return checkSwitches(stored, (name, problem) => {
    const path = `profiles.${profile}.behaviour.${name}`;
    return new SendctlError("usage", `the config file ${file} is invalid: ${path} ${problem}`, {
      hint: "sendctl profile set-behaviour replaces it",
      file,
    });
  });
}

/** Returns an object of switches. @throws what `invalidAt` returns for the first invalid one */
export function checkSwitches(
  given: Readonly<Record<string, unknown>>,
  invalidAt: (name: string, problem: string) => SendctlError,
): PartialBehaviour {
  for (const [name, value] of Object.entries(given)) {
    if (!isSwitch(name)) {
      const near = nearest(name, switchNames);
      const help = near === undefined ? "" : `; did you mean ${near}?`;
      throw invalidAt(name, `is not a known switch${help}`);
    }
    if (value === undefined || isAllowed(name, value)) continue;
    const rule = ruleOf(name).slice(name.length + 1);
    throw invalidAt(name, `${rule}, not ${jsonText(value)}`);
  }
  const [contradiction] = contradictionsIn(given);
  if (contradiction === undefined) return given;
  const { pair, reason } = contradiction;
  throw invalidAt(pair[1], `conflicts with ${pair[0]}: ${reason}`);
}

function isSwitch(name: string): name is SwitchName {
  return switchNames.some((known) => known === name);
}
