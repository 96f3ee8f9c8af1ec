import type { Group, SenderId } from "../contract/envelope.ts";
import { comparedGroupFields, type ComparedGroupField } from "./manifest.ts";
import { doubleQuoted, yamlText } from "../core/yaml/yaml-text.ts";
import { literal } from "./variables.ts";

export type ExportedSenderId = Pick<SenderId, "name" | "purpose">;

/** A group to write. Undefined fields are omitted. */
export interface ExportedGroup extends Partial<Pick<Group, ComparedGroupField>> {
  readonly name: string;
  /** Set if the name is not unique. */
  readonly uuid?: string | undefined;
  /** Set if neither the name nor the uuid is unique. */
  readonly id?: string;
}

const head = `# Sender IDs and groups of a bulk-SMS service, written by \`sendctl export\`.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
`;
const aboutGroups = `# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
`;

const senderIdFields = ["name", "purpose"] as const;
const groupFields = ["uuid", "id", ...comparedGroupFields] as const;

/**
 * Yields the text of a manifest in pieces. `readManifest` reads back exactly what was written, except for lone
 * surrogates, which UTF-8 cannot encode.
 *
 * @param remarks lines for comments, without line ends; JSON has none
 */
export type WriteManifest = (
  senderIds: readonly ExportedSenderId[],
  groups: readonly ExportedGroup[],
  remarks?: readonly string[],
) => Generator<string, void>;

export const yamlManifest: WriteManifest = function* (senderIds, groups, remarks = []) {
  yield head;
  for (const remark of remarks) yield `# ${remark}\n`;
  yield* yamlSection("sender_ids", senderIds, senderIdFields);
  yield aboutGroups;
  yield* yamlSection("groups", groups, groupFields);
};

export const jsonManifest: WriteManifest = function* (senderIds, groups) {
  yield `{\n  "sender_ids": `;
  yield* jsonList(senderIds, senderIdFields);
  yield `,\n  "groups": `;
  yield* jsonList(groups, groupFields);
  yield "\n}\n";
};

type Item<Name extends string> = { readonly [Each in Name]?: string | boolean | null | undefined };

function* yamlSection<Name extends string>(
  section: string,
  items: readonly Item<Name>[],
  names: readonly Name[],
): Generator<string, void> {
  yield items.length === 0 ? `${section}: []\n` : `${section}:\n`;
  for (const item of items) {
    const fields = fieldsOf(item, names, ": ", yamlString);
    yield `  - ${fields.join("\n    ")}\n`;
  }
}

function* jsonList<Name extends string>(
  items: readonly Item<Name>[],
  names: readonly Name[],
): Generator<string, void> {
  for (const [index, item] of items.entries()) {
    const fields = fieldsOf(item, names, '": ', jsonString).map((field) => `"${field}`);
    yield `${index === 0 ? "[" : ","}\n    {\n      ${fields.join(",\n      ")}\n    }`;
  }
  yield items.length === 0 ? "[]" : "\n  ]";
}

function yamlString(text: string): string {
  return yamlText(literal(text), "    ");
}

function jsonString(text: string): string {
  return doubleQuoted(literal(text));
}

/** Returns the fields of an item that are not undefined. */
function fieldsOf<Name extends string>(
  item: Item<Name>,
  names: readonly Name[],
  colon: string,
  string: (text: string) => string,
): string[] {
  const fields: string[] = [];
  for (const name of names) {
    const value = item[name];
    if (value === undefined) continue;
    fields.push(`${name}${colon}${typeof value === "string" ? string(value) : String(value)}`);
  }
  return fields;
}
