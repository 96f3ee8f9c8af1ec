import type { Group, SenderId } from "../contract/service.ts";
import { type ComparedGroupField, manifestFields, sections } from "./manifest.ts";
import { escapeInvisible, yamlText } from "../core/yaml/yaml-text.ts";
import { literal } from "./variables.ts";

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

const head = `# Sender IDs and groups of a bulk-SMS service, written by \`sendctl export\`.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
`;
const aboutGroups = `# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
`;

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
  yield* yamlSection("sender_ids", senderIds);
  if (groups.every(({ sender_id }) => sender_id === undefined)) yield aboutGroups;
  yield* yamlSection("groups", groups);
};

/** Does the same as JSON, also of a manifest without one of the sections. */
export function* jsonManifest(
  senderIds: readonly ExportedSenderId[] | undefined,
  groups: readonly ExportedGroup[] | undefined,
): Generator<string, void> {
  const { group, "sender-id": senderId } = manifestFields;
  const names = [...Object.keys(sections), ...group.known, ...senderId.known];
  const text = JSON.stringify({ sender_ids: senderIds, groups }, names, 2);
  yield `${escapeInvisible(literal(text))}\n`;
}

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
