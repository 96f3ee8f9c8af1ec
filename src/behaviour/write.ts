import { switchNames, valueText } from "./check.ts";
import { switches, type PartialBehaviour } from "../contract/behaviour.ts";

const head = "# Behaviour of a service; its schema: sendctl schema behaviour\n";

/** Returns a behaviour file in YAML with the given switches, each after a comment that explains it. */
export function behaviourText(behaviour: PartialBehaviour): string {
  const given = switchNames.flatMap((name) => {
    const value = behaviour[name];
    if (value === undefined) return [];
    return [`\n# ${switches[name].about}\n${name}: ${valueText(value)}\n`];
  });
  return `${head}${given.length === 0 ? "{}\n" : given.join("")}`;
}
