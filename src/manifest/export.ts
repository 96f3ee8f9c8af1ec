import { SendctlError } from "../core/error.ts";
import { groupFields, type Field } from "../contract/resources.ts";
import { comparedGroupFields, decimalId, isPathSafeName, uuidPattern } from "./manifest.ts";
import type { ExportedGroup, ExportedSenderId } from "./write.ts";

/** A record of any service; its fields may have any type. */
type Shown = Readonly<Record<string, unknown>>;

/** A record that a manifest cannot express. */
export interface Unexportable {
  readonly kind: "sender-id" | "group";
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/** A record of the manifest with its id, and its uuid if it has a valid one. */
interface Taken<Record> {
  readonly record: Record;
  readonly id: unknown;
  readonly uuid?: string | undefined;
}

/**
 * Collects records, and stores only the fields that a manifest needs. Its functions throw SendctlError
 * "unexpected_response" for a field of another type.
 */
export function createExportCollector() {
  const senderIds: Taken<ExportedSenderId>[] = [];
  const groups: Taken<ExportedGroup>[] = [];
  return {
    take: (kind: Unexportable["kind"], shown: Shown): void => {
      const { id, uuid } = shown;
      if (kind === "sender-id") {
        const record = { name: textOf(shown, "name"), purpose: textOf(shown, "purpose") };
        senderIds.push({ record, id });
      } else {
        const isUuid = typeof uuid === "string" && uuidPattern.test(uuid);
        groups.push({ record: exportedGroup(shown), id, uuid: isUuid ? uuid : undefined });
      }
    },
    /** Returns the records in reverse order, the oldest first, and those that a manifest cannot express. */
    finish: () => {
      const inexpressible: Unexportable[] = [];
      const named = keep(senderIds, "sender-id", senderIdKey(senderIds), inexpressible);
      return {
        senderIds: named,
        groups: keep(groups, "group", groupKey(groups), inexpressible),
        inexpressible,
      };
    },
  };
}

/** Returns the fields that make a record unique in a manifest, or why there are none. */
type KeyOf<Record> = (taken: Taken<Record>) => { readonly why: string } | object;

/** Returns the records with their keys, and adds those that a manifest cannot express to a list. */
function keep<Record extends { readonly name: string }>(
  all: readonly Taken<Record>[],
  kind: Unexportable["kind"],
  keyOf: KeyOf<Record>,
  inexpressible: Unexportable[],
): Record[] {
  return all.toReversed().flatMap((taken) => {
    const { record, id } = taken;
    const key = isText(record) ? keyOf(taken) : { why: whyUnwritable };
    if (!("why" in key)) return [{ ...key, ...record }];
    inexpressible.push({ kind, id, name: record.name, why: String(key.why) });
    return [];
  });
}

function senderIdKey(all: readonly Taken<ExportedSenderId>[]): KeyOf<ExportedSenderId> {
  const names = countOf(all.map(({ record }) => record.name));
  return ({ record: { name } }) => {
    if (names.get(name) !== 1) return { why: "another sender ID has the same name" };
    return isPathSafeName(name) ? {} : { why: whyUnwritable };
  };
}

function groupKey(all: readonly Taken<ExportedGroup>[]): KeyOf<ExportedGroup> {
  const names = countOf(all.map(({ record }) => record.name));
  const uuids = countOf(all.flatMap(({ uuid }) => uuid?.toLowerCase() ?? []));
  const ids = countOf(all.map(({ id }) => String(id)));
  return ({ record: { name }, id, uuid }) => {
    if (name === "") return { why: whyUnwritable };
    if (names.get(name) === 1) return {};
    if (uuid !== undefined && uuids.get(uuid.toLowerCase()) === 1) return { uuid };
    if (decimalId.test(String(id)) && ids.get(String(id)) === 1) return { id: String(id) };
    return { why: "another group has the same name, and neither uuid nor id is unique" };
  };
}

const whyUnwritable = "a manifest cannot contain its text";

/** Returns how often each text occurs. */
function countOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

/** Converts a group for a manifest. A flag that is null, but must not be, is omitted: the manifest does not manage it. */
function exportedGroup(record: Shown): ExportedGroup {
  const fields = comparedGroupFields.map((name) => [
    name,
    valueOf(record, name, groupFields[name]),
  ]);
  return Object.fromEntries(fields) as ExportedGroup;
}

function valueOf(record: Shown, name: string, field: Field): string | boolean | null | undefined {
  const value = record[name] ?? null;
  if (value === null && field.null !== undefined) return null;
  if (field.type !== "boolean") return textOf(record, name);
  if (value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw unexpectedType(record, name, "true, false or null");
}

function textOf(record: Shown, name: string): string {
  const value = record[name];
  if (typeof value === "string") return value;
  throw unexpectedType(record, name, "text");
}

function unexpectedType(record: Shown, name: string, expected: string): SendctlError {
  const id = String(record["id"]);
  return new SendctlError(
    "unexpected_response",
    `invalid response: the ${name} of the record with id ${id} is not ${expected}`,
  );
}
