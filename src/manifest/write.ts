import type { Group, SenderId } from "../contract/records.ts";
import { comparedGroupFields, type ComparedGroupField } from "./manifest.ts";
import { doubleQuoted, yamlText } from "../contract/text/yaml-text.ts";
import { literal } from "./variables.ts";

export type ExportedSenderId = Pick<SenderId, "name" | "purpose">;

/** A group to write. Undefined fields are omitted. */
export interface ExportedGroup extends Partial<Pick<Group, ComparedGroupField>> {
  readonly name: string;
  /** Set if the name is not unique. */
  readonly uuid?: string;
  /** Set if neither the name nor the uuid is unique. */
  readonly id?: string;
}

/** The text of a list in a manifest: its start, each item, and its end. */
interface Section<Item> {
  readonly open: string;
  readonly item: (item: Item, isFirst: boolean) => string;
  readonly close: (isEmpty: boolean) => string;
}

/**
 * The text of a manifest in the parts `head`, `senderIds`, `groups` and `tail`, so that only one item at a time is in
 * memory. `readManifest` reads back exactly what was written, except for lone surrogates, which UTF-8 cannot encode.
 */
export interface ManifestParts {
  readonly head: string;
  /** Returns a line as a comment; "" if the syntax has none. @param line without line ends */
  readonly comment: (line: string) => string;
  readonly senderIds: Section<ExportedSenderId>;
  readonly groups: Section<ExportedGroup>;
  readonly tail: string;
}

const comments = {
  head: `# Sender IDs and groups of a bulk-SMS service, written by \`sendctl export\`.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
`,
  groups: `# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
`,
};

export const yamlManifestParts: ManifestParts = {
  head: comments.head,
  comment: (line) => `# ${line}\n`,
  senderIds: yamlSection("sender_ids", ({ name, purpose }: ExportedSenderId) => [
    ["name", yamlString(name)],
    ["purpose", yamlString(purpose)],
  ]),
  groups: yamlSection(
    "groups",
    (group: ExportedGroup) => groupEntries(group, yamlString),
    comments.groups,
  ),
  tail: "",
};

export const jsonManifestParts: ManifestParts = {
  head: "{\n",
  comment: () => "",
  senderIds: jsonSection(
    "sender_ids",
    ({ name, purpose }: ExportedSenderId) => [
      ["name", jsonString(name)],
      ["purpose", jsonString(purpose)],
    ],
    ",\n",
  ),
  groups: jsonSection("groups", (group: ExportedGroup) => groupEntries(group, jsonString), "\n"),
  tail: "}\n",
};

type Entries = readonly (readonly [name: string, text: string])[];

function groupEntries(group: ExportedGroup, stringOf: (text: string) => string): Entries {
  return (["uuid", "id", ...comparedGroupFields] as const).flatMap((name) => {
    const value = group[name];
    if (value === undefined) return [];
    return [[name, typeof value === "string" ? stringOf(value) : String(value)] as const];
  });
}

const indent = "    ";

function yamlSection<Item>(
  name: string,
  entriesOf: (item: Item) => Entries,
  comment = "",
): Section<Item> {
  return {
    open: `${comment}${name}:`,
    item: (item, isFirst) => {
      const lines = entriesOf(item).map(([field, text]) => `${field}: ${text}\n`);
      return `${isFirst ? "\n" : ""}  - ${lines.join(indent)}`;
    },
    close: (isEmpty) => (isEmpty ? " []\n" : ""),
  };
}

function jsonSection<Item>(
  name: string,
  entriesOf: (item: Item) => Entries,
  end: string,
): Section<Item> {
  return {
    open: `  "${name}": [`,
    item: (item, isFirst) => {
      const lines = entriesOf(item).map(([field, text]) => `      "${field}": ${text}`);
      return `${isFirst ? "" : ","}\n    {\n${lines.join(",\n")}\n    }`;
    },
    close: (isEmpty) => `${isEmpty ? "" : "\n  "}]${end}`,
  };
}

function yamlString(text: string): string {
  return yamlText(literal(text), indent);
}

function jsonString(text: string): string {
  return doubleQuoted(literal(text));
}

/**
 * Yields the text of a manifest in pieces.
 *
 * @param remarks lines for comments
 */
export async function* manifestText(
  parts: ManifestParts,
  senderIds: AsyncIterable<ExportedSenderId> | Iterable<ExportedSenderId>,
  groups: AsyncIterable<ExportedGroup> | Iterable<ExportedGroup>,
  remarks: readonly string[] = [],
): AsyncGenerator<string, void> {
  yield parts.head;
  for (const remark of remarks) yield parts.comment(remark);
  yield* sectionText(parts.senderIds, senderIds);
  yield* sectionText(parts.groups, groups);
  yield parts.tail;
}

async function* sectionText<Item>(
  { open, item, close }: Section<Item>,
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<string, void> {
  yield open;
  let isFirst = true;
  for await (const one of items) {
    yield item(one, isFirst);
    isFirst = false;
  }
  yield close(isFirst);
}
