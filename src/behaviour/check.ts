import { switches, type SwitchName, type SwitchValue } from "../contract/behaviour.ts";
import { yamlText } from "../contract/text/yaml-text.ts";

export const switchNames = Object.keys(switches) as readonly SwitchName[];

/** A switch as the checks see it. */
type AnySwitch =
  | { readonly values: readonly SwitchValue[] }
  | { readonly min: number; readonly max: number };

/** Returns whether a switch can have a value. */
export function isAllowed(name: SwitchName, value: unknown): value is SwitchValue {
  const one: AnySwitch = switches[name];
  if ("values" in one) return one.values.some((allowed) => allowed === value);
  return Number.isInteger(value) && (value as number) >= one.min && (value as number) <= one.max;
}

/** Returns what a switch can be: `unknown_fields must be refused or ignored`. */
export function ruleOf(name: SwitchName): string {
  const one: AnySwitch = switches[name];
  if ("min" in one) return `${name} must be a whole number from ${one.min} to ${one.max}`;
  const texts = one.values.map(valueText);
  return `${name} must be ${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

/** Returns a value as a behaviour file has it. */
export function valueText(value: SwitchValue): string {
  return typeof value === "string" ? yamlText(value, "") : String(value);
}
