import { valueText } from "../contract/check-behaviour.ts";
import {
  switchNames,
  switches,
  type PartialBehaviour,
  type Switch,
  type SwitchName,
} from "../contract/behaviour.ts";

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

function schemaOf(name: SwitchName): object {
  const definition: Switch = switches[name];
  const about = `${definition.about.charAt(0).toUpperCase()}${definition.about.slice(1)}`;
  const description = `${about}. Behaviour number ${definition.ruling}.`;
  return "values" in definition
    ? { description, enum: definition.values, default: definition.values[0] }
    : {
        description,
        type: "integer",
        minimum: definition.min,
        maximum: definition.max,
        default: definition.default,
      };
}

/**
 * JSON Schema of a behaviour file, for editors; draft 7 has the best support. readBehaviour also rejects what the schema
 * cannot express: duplicates, and switches that contradict each other.
 */
export const behaviourSchema: object = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "sendctl behaviour",
  description:
    "How a service behaves where its specification is silent. A missing switch has its default in the embedded engine, and is unknown for a remote service.",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: {
      description: "Location of this schema, for editors. sendctl ignores it.",
      type: "string",
    },
    ...Object.fromEntries(switchNames.map((name) => [name, schemaOf(name)])),
  },
};
