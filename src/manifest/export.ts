import { SendctlError } from "../core/error.ts";
import { groupFields, type Field } from "../contract/resources.ts";
import type { ShownRecord } from "../contract/service.ts";
import { comparedGroupFields, decimalId, uuidPattern, isPathSafeName } from "./manifest.ts";
import type { ExportedGroup, ExportedSenderId } from "./write.ts";

/** A record that a manifest cannot express. */
export interface Unexportable {
  readonly kind: "sender-id" | "group";
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/** A record of the manifest, with its uuid if it has a valid one, and its id. */
interface Taken<Record> {
  readonly record: Record;
  readonly id: unknown;
}

/**
 * Collects records, and stores only the fields that a manifest needs. Its functions throw SendctlError
 * "unexpected_response" for a field of another type.
 */
export function createExportCollector() {
  const senderIds: Taken<ExportedSenderId>[] = [];
  const groups: Taken<ExportedGroup>[] = [];
  return {
    take: (kind: Unexportable["kind"], shown: ShownRecord): void => {
      const { id, uuid } = shown;
      if (kind === "sender-id") {
        const record = { name: textOf(shown, "name"), purpose: textOf(shown, "purpose") };
        senderIds.push({ record, id });
      } else {
        const isUuid = typeof uuid === "string" && uuidPattern.test(uuid);
        groups.push({ record: { ...exportedGroup(shown), uuid: isUuid ? uuid : undefined }, id });
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

/** Returns the fields to set so that a record is unique in a manifest, or why there are none. */
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
    if (!("why" in key)) return Object.assign(record, key);
    inexpressible.push({ kind, id, name: record.name, why: String(key.why) });
    return [];
  });
}

function senderIdKey(all: readonly Taken<ExportedSenderId>[]): KeyOf<ExportedSenderId> {
  const repeated = repeatedIn(all.map(({ record }) => record.name));
  return ({ record: { name } }) => {
    if (repeated.has(name)) return { why: "another sender ID has the same name" };
    return isPathSafeName(name) ? {} : { why: whyUnwritable };
  };
}

function groupKey(all: readonly Taken<ExportedGroup>[]): KeyOf<ExportedGroup> {
  const names = repeatedIn(all.map(({ record }) => record.name));
  const uuids = repeatedIn(all.map(({ record }) => record.uuid?.toLowerCase() ?? ""));
  const ids = repeatedIn(all.map(({ id }) => String(id)));
  return ({ record: { name, uuid }, id }) => {
    if (name === "") return { why: whyUnwritable };
    if (!names.has(name)) return { uuid: undefined };
    if (uuid !== undefined && !uuids.has(uuid.toLowerCase())) return {};
    if (decimalId.test(String(id)) && !ids.has(String(id)))
      return { uuid: undefined, id: String(id) };
    return { why: "another group has the same name, and neither uuid nor id is unique" };
  };
}

const whyUnwritable = "a manifest cannot contain its text";

/** Returns the texts that occur more than once. */
function repeatedIn(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text);
  return repeated;
}

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

/** Converts a group for a manifest. A flag that is null, but must not be, is omitted: the manifest does not manage it. */
export function exportedGroup(record: ShownRecord): Omit<ExportedGroup, "uuid" | "id"> {
  const fields = comparedGroupFields.map((name) => [
    name,
    valueOf(record, name, groupFields[name]),
  ]);
  return Object.fromEntries(fields) as ReturnType<typeof exportedGroup>;
}

function valueOf(
  record: ShownRecord,
  name: string,
  field: Field,
): string | boolean | null | undefined {
  const value = record[name] ?? null;
  if (value === null && field.null !== undefined) return null;
  if (field.type !== "boolean") return textOf(record, name);
  if (value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw unexpectedType(record, name, "true, false or null");
}

function textOf(record: ShownRecord, name: string): string {
  const value = record[name];
  if (typeof value === "string") return value;
  throw unexpectedType(record, name, "text");
}

function unexpectedType(record: ShownRecord, name: string, expected: string): SendctlError {
  const id = String(record["id"]);
  return new SendctlError(
    "unexpected_response",
    `invalid response: the ${name} of the record with id ${id} is not ${expected}`,
  );
}
