import type { PartialBehaviour } from "../contract/behaviour.ts";

/** Returns a behaviour file in YAML with the given switches. */
export function behaviourText(behaviour: PartialBehaviour): string {
  const lines = Object.entries(behaviour).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return lines.join("") || "{}\n";
}
