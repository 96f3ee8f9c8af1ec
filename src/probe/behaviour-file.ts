import { isScalar } from "yaml";
import { resolve } from "node:path";
import { ruleOf, valueText } from "../contract/check-behaviour.ts";
import {
  contradictionsIn,
  ownBehaviour,
  isAllowed,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
  switches,
  type Switch,
} from "../contract/behaviour.ts";
import { countedErrors, SendctlError } from "../core/error.ts";
import {
  createDiagnostics,
  isReported,
  isTagged,
  readDocuments,
  readFields,
  wrongType,
  type Found,
  type Walk,
} from "../core/yaml/nodes.ts";
import { readFileUpTo } from "../core/files.ts";
import { capitalized } from "../core/text.ts";

const sizeLimit = {
  bytes: 64 * 1024,
  help: "a behaviour file has one short line for each switch",
};

/** Location of the JSON Schema, for editors. */
const schemaField = "$schema";

const words = { noun: "switch", help: "sendctl schema behaviour lists all switches" };

/**
 * Reads a behaviour file, or standard input for `-`.
 *
 * @param folder base of a relative name
 * @param readInput reads standard input; stops after more than `limit` bytes
 * @throws SendctlError "usage" for an unreadable or invalid file
 */
export async function readBehaviourFile(
  name: string,
  folder: string,
  readInput: (limit: number) => Promise<Uint8Array>,
): Promise<PartialBehaviour> {
  if (name === "-") return readBehaviour(await readInput(sizeLimit.bytes), "<stdin>");
  return readBehaviour(await readFileUpTo(name, resolve(folder, name), sizeLimit.bytes), name);
}

/**
 * Reads a behaviour file, in YAML or JSON.
 *
 * @param name of the file, for messages
 * @throws SendctlError "usage" with the location of every error in the file
 */
export function readBehaviour(bytes: Uint8Array, name: string): PartialBehaviour {
  const diagnostics = createDiagnostics([name]);
  const ifEmpty = "to change no switch, write {}";
  let behaviour: PartialBehaviour | undefined;
  readDocuments({ name, bytes }, sizeLimit, diagnostics, { expansion: 0 }, ifEmpty, (walk, top) => {
    if (behaviour !== undefined) {
      walk.report(top.offset, "a behaviour file must be a single document");
    }
    behaviour = readDocument(walk, top);
  });
  if (behaviour !== undefined && diagnostics.isEmpty()) return behaviour;
  const list = diagnostics.list();
  throw new SendctlError("usage", `${name} has ${countedErrors(list)}`, {
    hint: "sendctl schema behaviour",
    file: name,
    diagnostics: list,
  });
}

function readDocument(walk: Walk, top: Found): PartialBehaviour {
  const found = readFields(walk, top, "a behaviour", [...switchNames, schemaField], words);
  const behaviour: Record<string, SwitchValue> = {};
  for (const [name, field] of found ?? []) {
    const value = readValue(walk, field, name);
    if (value !== undefined && name !== schemaField) behaviour[name] = value;
  }
  for (const { pair, reason } of contradictionsIn(behaviour)) {
    // At least one of them is in the file.
    const [other, name] = behaviour[pair[1]] === undefined ? pair.toReversed() : pair;
    const isDefault = behaviour[other] === undefined;
    const value = isDefault ? ` (default: ${valueText(ownBehaviour[other])})` : "";
    walk.report(found!.get(name)!.offset, `${name} conflicts with ${other}${value}: ${reason}`);
  }
  return behaviour;
}

/** Returns the value of a field. Reports any other value and returns undefined. */
function readValue(walk: Walk, field: Found, name: string): SwitchValue | undefined {
  const { node, offset } = field;
  if (isReported(field) || isTagged(node)) return undefined;
  const isValid = (value: unknown): value is SwitchValue =>
    name === schemaField ? typeof value === "string" : isAllowed(name as SwitchName, value);
  const value = isScalar(node) ? node.value : undefined;
  if (isValid(value)) return value;
  const rule = name === schemaField ? `${name} must be text` : ruleOf(name as SwitchName);
  walk.report(offset, wrongType(rule, node));
  return undefined;
}

/** Returns a behaviour file in YAML, each switch after a comment that explains it. */
export function behaviourText(behaviour: PartialBehaviour): string {
  const given = switchNames.filter((name) => behaviour[name] !== undefined);
  const lines = given.map(
    (name) => `\n# ${switches[name].about}\n${name}: ${valueText(behaviour[name]!)}\n`,
  );
  const head = "# Behaviour of a service; its schema: sendctl schema behaviour\n";
  return `${head}${lines.length === 0 ? "{}\n" : lines.join("")}`;
}

function schemaOf(name: SwitchName): object {
  const definition: Switch = switches[name];
  const description = `${capitalized(definition.about)}. Behaviour number ${definition.ruling}.`;
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
 * JSON Schema of a behaviour file, for editors; draft 7 has the best support. readBehaviour also
 * rejects what the schema cannot express: duplicates, and switches that contradict each other.
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
