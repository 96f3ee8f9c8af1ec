import type { Group, SenderId } from "../contract/records.ts";
import { comparedGroupFields, type ComparedGroupField } from "./manifest.ts";
import { doubleQuoted, yamlText } from "../contract/yaml-text.ts";
import { literal } from "./variables.ts";

export type ExportedSenderId = Pick<SenderId, "name" | "purpose">;

/** Fields that are left out are not written. */
export interface ExportedGroup extends Partial<Pick<Group, ComparedGroupField>> {
  readonly name: string;
  /** Where the name alone does not say which group it is; else its id, where it has no uuid. */
  readonly uuid?: string;
  readonly id?: string;
}

/** A list of a manifest: what begins it, each item, and what ends it. */
interface Section<Item> {
  readonly open: string;
  readonly item: (item: Item, isFirst: boolean) => string;
  readonly close: (isEmpty: boolean) => string;
}

/**
 * The text of a manifest in parts, so that no more than one item has to be held: `head`, `senderIds`,
 * `groups`, `tail`. `readManifest` makes of it what it was made of, whatever is in its texts (but for lone
 * surrogates, which no file of UTF-8 holds).
 */
export interface ManifestParts {
  readonly head: string;
  /** A line for people, as a comment where the syntax has any. It has no line ends. */
  readonly comment: (line: string) => string;
  readonly senderIds: Section<ExportedSenderId>;
  readonly groups: Section<ExportedGroup>;
  readonly tail: string;
}

const comments = {
  head: `# The sender IDs and groups of a bulk-SMS service, as \`sendctl export\` found them.
# \`sendctl diff -f FILE\` shows where a service differs from it, \`sendctl apply -f FILE\` changes the service.
`,
  groups: `# The sender_id of a group is not here, because the service never shows it. A group without the member
# keeps the one it has; add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id to set it.
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

type Members = readonly (readonly [name: string, text: string])[];

function groupEntries(group: ExportedGroup, stringOf: (text: string) => string): Members {
  return (["uuid", "id", ...comparedGroupFields] as const).flatMap((name) => {
    const value = group[name];
    if (value === undefined) return [];
    return [[name, typeof value === "string" ? stringOf(value) : String(value)] as const];
  });
}

const indent = "    ";

function yamlSection<Item>(
  name: string,
  entriesOf: (item: Item) => Members,
  comment = "",
): Section<Item> {
  return {
    open: `${comment}${name}:`,
    item: (item, isFirst) => {
      const lines = entriesOf(item).map(([member, text]) => `${member}: ${text}\n`);
      return `${isFirst ? "\n" : ""}  - ${lines.join(indent)}`;
    },
    close: (isEmpty) => (isEmpty ? " []\n" : ""),
  };
}

function jsonSection<Item>(
  name: string,
  entriesOf: (item: Item) => Members,
  end: string,
): Section<Item> {
  return {
    open: `  "${name}": [`,
    item: (item, isFirst) => {
      const lines = entriesOf(item).map(([member, text]) => `      "${member}": ${text}`);
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
 * Returns the text of a manifest, piece by piece.
 *
 * @param remarks lines for people
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
