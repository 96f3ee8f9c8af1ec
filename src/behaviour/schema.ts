import { switchNames } from "./check.ts";
import { switches, type SwitchName, type SwitchValue } from "../contract/behaviour.ts";

function schemaOf(name: SwitchName): object {
  const one: { readonly about: string; readonly ruling: number } & (
    | { readonly values: readonly SwitchValue[] }
    | { readonly min: number; readonly max: number; readonly default: number }
  ) = switches[name];
  const about = `${one.about.charAt(0).toUpperCase()}${one.about.slice(1)}`;
  const description = `${about}. Behaviour number ${one.ruling}.`;
  return "values" in one
    ? { description, enum: one.values, default: one.values[0] }
    : {
        description,
        type: "integer",
        minimum: one.min,
        maximum: one.max,
        default: one.default,
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
    "How a service behaves where its specification is silent. A missing switch has its default in the embedded engine, and is unknown of a remote service.",
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
