import { type RecordKind, uuidForm, groupFields, type Field } from "../contract/resources.ts";
import { type ShownRecord, shownSenderId, type Group, type SenderId } from "../contract/service.ts";
import {
  comparedGroupFields,
  isPathSafeName,
  nameOf,
  purposeOf,
  unexpectedType,
  type ComparedGroupField,
  manifestFields,
  sections,
} from "./manifest.ts";
import { escapeInvisible, yamlText } from "../core/yaml/yaml-text.ts";
import { literal } from "./variables.ts";

/** A record that a manifest cannot express. */
export interface Unexportable {
  readonly kind: RecordKind;
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/**
 * Returns the records of a manifest, the oldest first, and those that it cannot express.
 *
 * @param shown the records as the lists have them
 * @param hasSecret whether a text has a secret: the file would hide it, and `apply` store that
 * @throws SendctlError "unexpected_response" for a field of another type
 */
export function exportedRecords(
  shown: Readonly<Record<RecordKind, readonly ShownRecord[]>>,
  hasSecret: (text: string) => boolean,
) {
  const inexpressible: Unexportable[] = [];
  const keep = <Exported extends { readonly name: string }>(
    kind: RecordKind,
    convert: (record: ShownRecord) => Exported,
    problemOf: (exported: Exported) => string | undefined,
  ): Exported[] =>
    shown[kind].toReversed().flatMap((record) => {
      const exported = convert(record);
      const { name } = exported;
      const texts = Object.values(exported).filter((value) => typeof value === "string");
      // UTF-8 cannot encode any other text.
      const isWritable = name !== "" && texts.every((text) => text.isWellFormed());
      const problem = isWritable ? problemOf(exported) : unwritable;
      const why = texts.some(hasSecret) ? "it contains the secret key" : problem;
      if (why === undefined) return [exported];
      inexpressible.push({ kind, id: record["id"], name, why });
      return [];
    });
  const senderNames = repeatedIn(shown["sender-id"].map(nameOf));
  const groupNames = repeatedIn(shown.group.map(nameOf));
  const uuids = repeatedIn(shown.group.map(uuidOf));
  const senderIds = keep(
    "sender-id",
    (record) => ({ name: nameOf(record), purpose: purposeOf(record) }),
    ({ name }) => {
      if (senderNames.has(name)) return "another sender ID has the same name";
      return isPathSafeName(name) ? undefined : unwritable;
    },
  );
  const written = new Set(senderIds.map(({ name }) => name));
  // Some services show it after all, by its name or its id. Null may mean that it is hidden.
  const senderIdOf = (group: ShownRecord): { sender_id?: string } => {
    const listed = shown["sender-id"];
    const sender = shownSenderId(group);
    const found =
      listed.find(({ name }) => name === sender) ?? listed.find(({ id }) => String(id) === sender);
    const name = found === undefined ? undefined : nameOf(found);
    return name !== undefined && written.has(name) ? { sender_id: name } : {};
  };
  return {
    senderIds,
    groups: keep(
      "group",
      (record): ExportedGroup => {
        const isRepeated = groupNames.has(nameOf(record));
        const uuid = isRepeated ? uuidOf(record) : undefined;
        return { ...exportedGroup(record), ...senderIdOf(record), uuid };
      },
      ({ uuid }) => {
        if (uuid === undefined || (uuidForm.test(uuid) && !uuids.has(uuid))) return undefined;
        return "another group has the same name, and its uuid does not tell them apart";
      },
    ),
    inexpressible,
  };
}

const unwritable = "a manifest cannot contain its text";

function uuidOf({ uuid }: ShownRecord): string {
  return String(uuid).toLowerCase();
}

/** Returns the texts that occur more than once. */
function repeatedIn(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.has(text) || !seen.add(text)));
}

/** Converts a group for a manifest. Omits a flag that is null but must not be: it is unmanaged. */
export function exportedGroup(record: ShownRecord): Omit<ExportedGroup, "uuid" | "id"> {
  const fields = comparedGroupFields.map((name) => {
    const value = record[name] ?? null;
    const field: Field = groupFields[name];
    const isFlag = field.type === "boolean";
    if (value === null && (isFlag || field.null !== undefined)) {
      return [name, field.null === undefined ? undefined : null];
    }
    if (typeof value === (isFlag ? "boolean" : "string")) return [name, value];
    throw unexpectedType(record, name, isFlag ? "true, false or null" : "text");
  });
  return Object.fromEntries(fields) as ReturnType<typeof exportedGroup>;
}

export type ExportedSenderId = Pick<SenderId, "name" | "purpose">;

/** A group to write. Undefined fields are omitted. */
export interface ExportedGroup extends Partial<Pick<Group, ComparedGroupField>> {
  readonly name: string;
  /** Set if the name is not unique. */
  readonly uuid?: string | undefined;
  /** Set if the group may have another name by now. */
  readonly id?: string;
  /** Set if it is known: few services show it. */
  readonly sender_id?: string | null;
}

const head = `# Sender IDs and groups of a bulk-SMS service.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
`;
const aboutGroups = `# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
`;

/**
 * Yields the text of a manifest in pieces. `readManifest` reads back exactly what was written,
 * except for lone surrogates, which UTF-8 cannot encode.
 *
 * @param senderIds undefined for no such section
 * @param remarks lines for comments, without line ends; JSON has none
 */
export type WriteManifest = (
  senderIds: readonly ExportedSenderId[] | undefined,
  groups: readonly ExportedGroup[] | undefined,
  remarks?: readonly string[],
) => Generator<string, void>;

export const yamlManifest: WriteManifest = function* (senderIds, groups, remarks = []) {
  yield head;
  for (const remark of remarks) yield `# ${remark}\n`;
  if (senderIds !== undefined) yield* yamlSection("sender_ids", senderIds);
  if (groups === undefined) return;
  if (groups.every(({ sender_id }) => sender_id === undefined)) yield aboutGroups;
  yield* yamlSection("groups", groups);
};

/** Does the same as JSON. */
export const jsonManifest: WriteManifest = function* (senderIds, groups) {
  const { group, "sender-id": senderId } = manifestFields;
  const names = [...Object.keys(sections), ...group.known, ...senderId.known];
  const text = JSON.stringify({ sender_ids: senderIds, groups }, names, 2);
  yield `${escapeInvisible(literal(text))}\n`;
};

function* yamlSection(
  section: keyof typeof sections,
  records: readonly object[],
): Generator<string, void> {
  yield records.length === 0 ? `${section}: []\n` : `${section}:\n`;
  for (const record of records) {
    const values = record as Readonly<Record<string, string | boolean | null | undefined>>;
    const fields = manifestFields[sections[section]].known.flatMap((name) => {
      const value = values[name];
      if (value === undefined) return [];
      return `${name}: ${typeof value === "string" ? yamlText(literal(value), "    ") : value}`;
    });
    yield `  - ${fields.join("\n    ")}\n`;
  }
}
