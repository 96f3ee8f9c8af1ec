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

/** The text of a list in a manifest: `open`, the items, and `close`; or only `empty`. */
interface Section<Item> {
  readonly open: string;
  /** Starts the first item. */
  readonly first: string;
  /** Starts each other item. */
  readonly next: string;
  /** Returns the text of an item, which starts with `next`. */
  readonly item: (item: Item) => string;
  readonly close: string;
  readonly empty: string;
}

/** The text of the groups in a manifest. */
export interface GroupSection extends Section<ExportedGroup> {
  /** Ends the text of each field but the last one. */
  readonly between: string;
  /** Returns the start of the text of a field. */
  readonly field: (name: string) => string;
  readonly string: (text: string) => string;
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
  readonly groups: GroupSection;
  readonly tail: string;
}

/** How a syntax writes the items of a list. */
interface Syntax extends Pick<GroupSection, "first" | "next" | "between" | "field" | "string"> {
  /** Ends each item. */
  readonly end: string;
}

const yaml: Syntax = {
  first: "\n  - ",
  next: "  - ",
  between: "\n    ",
  end: "\n",
  field: (name) => `${name}: `,
  string: (text) => yamlText(literal(text), "    "),
};

const json: Syntax = {
  first: "\n    {\n      ",
  next: ",\n    {\n      ",
  between: ",\n      ",
  end: "\n    }",
  field: (name) => `"${name}": `,
  string: (text) => doubleQuoted(literal(text)),
};

const comments = {
  head: `# Sender IDs and groups of a bulk-SMS service, written by \`sendctl export\`.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
`,
  groups: `# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
`,
};

const senderIdFields = ["name", "purpose"] as const;
const groupFields = ["uuid", "id", ...comparedGroupFields] as const;

export const yamlManifestParts: ManifestParts = {
  head: comments.head,
  comment: (line) => `# ${line}\n`,
  senderIds: yamlSection("sender_ids:", senderIdFields),
  groups: yamlSection(`${comments.groups}groups:`, groupFields),
  tail: "",
};

export const jsonManifestParts: ManifestParts = {
  head: "{\n",
  comment: () => "",
  senderIds: jsonSection(`  "sender_ids": [`, senderIdFields, ",\n"),
  groups: jsonSection(`  "groups": [`, groupFields, "\n"),
  tail: "}\n",
};

function yamlSection<Name extends string>(open: string, fields: readonly Name[]) {
  return { ...yaml, open, item: itemOf(yaml, fields), close: "", empty: " []\n" };
}

function jsonSection<Name extends string>(open: string, fields: readonly Name[], end: string) {
  return { ...json, open, item: itemOf(json, fields), close: `\n  ]${end}`, empty: `]${end}` };
}

type Values<Name extends string> = { readonly [Each in Name]?: string | boolean | null };

/** Returns a function that writes the fields of an item that are not undefined. */
function itemOf<Name extends string>(
  { next, between, end, field, string }: Syntax,
  fields: readonly Name[],
): (item: Values<Name>) => string {
  const starts = fields.map((name) => [name, field(name)] as const);
  return (item) => {
    let text = "";
    for (const [name, start] of starts) {
      const value = item[name];
      if (value === undefined) continue;
      const shown = typeof value === "string" ? string(value) : String(value);
      text += `${text === "" ? next : between}${start}${shown}`;
    }
    return text + end;
  };
}

/**
 * Yields the text of a manifest in pieces.
 *
 * @param groups texts of groups, one or more in each
 * @param remarks lines for comments
 */
export function* manifestText(
  { head, comment, senderIds, groups, tail }: ManifestParts,
  senderIdRecords: Iterable<ExportedSenderId>,
  groupTexts: Iterable<string>,
  remarks: readonly string[] = [],
): Generator<string, void> {
  yield head;
  for (const remark of remarks) yield comment(remark);
  yield* sectionText(senderIds, Array.from(senderIdRecords, senderIds.item));
  yield* sectionText(groups, groupTexts);
  yield tail;
}

/** @param texts of items, which start with `next` */
function* sectionText(
  { open, first, next, close, empty }: Omit<Section<never>, "item">,
  texts: Iterable<string>,
): Generator<string, void> {
  yield open;
  let isEmpty = true;
  for (const text of texts) {
    if (text === "") continue;
    yield isEmpty ? `${first}${text.slice(next.length)}` : text;
    isEmpty = false;
  }
  yield isEmpty ? empty : close;
}
