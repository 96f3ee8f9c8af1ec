import { groupFields, type Field } from "../contract/resources.ts";
import type { ShownRecord } from "../contract/service.ts";
import {
  type RecordKind,
  comparedGroupFields,
  isPathSafeName,
  nameOf,
  purposeOf,
  unexpectedType,
  uuidPattern,
} from "./manifest.ts";
import type { ExportedGroup } from "./write.ts";

/** A record that a manifest cannot express. */
export interface Unexportable {
  readonly kind: RecordKind;
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/**
 * Returns the records of a manifest in reverse order, the oldest first, and those that a manifest cannot express.
 *
 * @param shown the records as the lists have them
 * @throws SendctlError "unexpected_response" for a field of another type
 */
export function exportedRecords(shown: Readonly<Record<RecordKind, readonly ShownRecord[]>>) {
  const inexpressible: Unexportable[] = [];
  const keep = <Exported extends { readonly name: string }>(
    kind: RecordKind,
    convert: (record: ShownRecord) => Exported,
    problemOf: (exported: Exported) => string | undefined,
  ): Exported[] =>
    shown[kind].toReversed().flatMap((record) => {
      const exported = convert(record);
      const { name } = exported;
      const why = name !== "" && isText(exported) ? problemOf(exported) : unwritable;
      if (why === undefined) return [exported];
      inexpressible.push({ kind, id: record["id"], name, why });
      return [];
    });
  const senderNames = repeatedIn(shown["sender-id"].map(nameOf));
  const groupNames = repeatedIn(shown.group.map(nameOf));
  const uuids = repeatedIn(shown.group.map(uuidOf));
  return {
    senderIds: keep(
      "sender-id",
      (record) => ({ name: nameOf(record), purpose: purposeOf(record) }),
      ({ name }) => {
        if (senderNames.has(name)) return "another sender ID has the same name";
        return isPathSafeName(name) ? undefined : unwritable;
      },
    ),
    groups: keep(
      "group",
      (record): ExportedGroup => {
        const isRepeated = groupNames.has(nameOf(record));
        return { ...exportedGroup(record), uuid: isRepeated ? uuidOf(record) : undefined };
      },
      ({ uuid }) => {
        if (uuid === undefined || (uuidPattern.test(uuid) && !uuids.has(uuid))) return undefined;
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

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

/** Converts a group for a manifest. A flag that is null, but must not be, is omitted: the manifest does not manage it. */
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
