import { isScalar } from "yaml";
import { resolve } from "node:path";
import { ruleOf, valueText } from "./check.ts";
import {
  contradictionsIn,
  defaultOf,
  isAllowed,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";
import { diagnosticLimit, SendctlError } from "../contract/error.ts";
import { createDiagnostics } from "../yaml/diagnostics.ts";
import { yamlDocuments, type Report } from "../yaml/documents.ts";
import { quotingHint, wrongType } from "../yaml/messages.ts";
import {
  find,
  isNothing,
  isReported,
  isTagged,
  readFields,
  type Found,
  type Walk,
} from "../yaml/nodes.ts";
import { readFileUpTo } from "../runtime/open-input.ts";
import { createLocations, decodeText } from "../yaml/text.ts";

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
  const decoded = decodeText(bytes, sizeLimit);
  let behaviour: PartialBehaviour = {};
  if ("message" in decoded) diagnostics.add({ file: name, ...decoded }, decoded.message);
  else {
    const locate = createLocations(decoded.text);
    const locationOf = (offset: number) => ({ file: name, ...locate(offset) });
    behaviour = readText(decoded.text, locationOf, (offset, message) =>
      diagnostics.add(locationOf(offset), message),
    );
  }
  if (diagnostics.isEmpty()) return behaviour;
  const list = diagnostics.list();
  const count = list.length > diagnosticLimit ? `over ${diagnosticLimit}` : list.length;
  throw new SendctlError("usage", `${name} has ${count} ${count === 1 ? "error" : "errors"}`, {
    hint: "sendctl schema behaviour",
    file: name,
    diagnostics: list,
  });
}

function readText(
  text: string,
  locationOf: Walk["locationOf"],
  reportTo: Report,
): PartialBehaviour {
  let hasErrors = false;
  let count = 0;
  const report: Report = (offset, message) => {
    hasErrors = true;
    reportTo(offset, message);
  };
  const reading = { expansion: 0 };
  let behaviour: PartialBehaviour = {};
  for (const { contents, targets } of yamlDocuments(text, report)) {
    if (isNothing(contents)) continue;
    const walk = { reading, targets, report, locationOf };
    const top = find(walk, contents, 0);
    count += 1;
    if (count === 2) report(top?.offset ?? 0, "a behaviour file has one document only");
    if (top !== undefined) behaviour = readDocument(walk, top);
  }
  if (count === 0 && !hasErrors) report(0, "the file is empty; to change no switch, write {}");
  return behaviour;
}

function readDocument(walk: Walk, top: Found): PartialBehaviour {
  const found = readFields(walk, top, "a behaviour", [...switchNames, schemaField], words);
  const values = new Map<SwitchName, SwitchValue>();
  for (const [name, field] of found ?? []) {
    if (name === schemaField) requireText(walk, field);
    else {
      const value = readValue(walk, field, name as SwitchName);
      if (value !== undefined) values.set(name as SwitchName, value);
    }
  }
  const behaviour: PartialBehaviour = Object.fromEntries(values);
  const order = [...values.keys()];
  for (const { one, other, reason } of contradictionsIn(behaviour)) {
    const [second, first] = order.indexOf(one) > order.indexOf(other) ? [one, other] : [other, one];
    const what = order.includes(first)
      ? first
      : `${first} (default: ${valueText(defaultOf(first))})`;
    walk.report(found!.get(second)!.offset, `${second} contradicts ${what}: ${reason}`);
  }
  return behaviour;
}

/** Returns the value of a switch. Reports any other value and returns undefined. */
function readValue(walk: Walk, field: Found, name: SwitchName): SwitchValue | undefined {
  const { node, offset } = field;
  if (isReported(field) || isTagged(node)) return undefined;
  const value = isScalar(node) && !isMissing(field) ? node.value : undefined;
  if (isAllowed(name, value)) return value;
  // The word null without quotes is not a text.
  const isUnquoted = isScalar(node) && isAllowed(name, node.source);
  const hint = isUnquoted && typeof value !== "string" ? quotingHint(node) : "";
  walk.report(offset, `${wrongType(ruleOf(name), node)}${hint}`);
  return undefined;
}

/** Returns whether nothing stands after a name. Only a null that is written out is a value. */
function isMissing({ node }: Found): boolean {
  return isScalar(node) && node.value === null && !node.source;
}

function requireText(walk: Walk, field: Found): void {
  const { node, offset } = field;
  if (isReported(field) || isTagged(node)) return;
  if (isScalar(node) && typeof node.value === "string") return;
  walk.report(offset, wrongType(`${schemaField} must be text`, node));
}
