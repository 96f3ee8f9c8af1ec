import { groupFields, namesOf } from "../contract/resources.ts";
import { shownSenderId, type ShownRecord } from "../contract/service.ts";
import type { OwnView } from "../service/read-list.ts";
import { jsonText } from "../core/json-text.ts";
import { isSameValue, textOf, type RecordPath } from "./compare.ts";

type Kind = "sender-id" | "group";

/** One write of this user: the record before and after it, null where it did not exist. */
export interface OwnWrite {
  readonly kind: Kind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined if it was not read: the write may have replaced any value. */
  readonly before: ShownRecord | null | undefined;
  readonly after: ShownRecord | null;
}

/** What the writes of the last minute made of one record. */
interface OwnRecord {
  readonly kind: Kind;
  /** The record after the last write, or before it if that has deleted it. */
  readonly record: ShownRecord;
  readonly isDeleted: boolean;
  /** Whether one of the writes created it. */
  readonly isNew: boolean;
  /** The values that the writes replaced, by field. */
  readonly replaced: Readonly<Record<string, readonly unknown[]>>;
}

/** In milliseconds: how long a write counts, also on a clock that was set back. */
const memory = 60_000;

/** Returns whether a time counts as recent. @param now both in milliseconds since 1970 */
export function isRecent(time: number, now: number): boolean {
  return Math.abs(now - time) < memory;
}

/** Fields that an update can set. */
const settable = namesOf(groupFields, ({ update }) => update !== undefined);

export type RecentWrites = ReturnType<typeof createRecentWrites>;

/**
 * Remembers what this user has written to a service in the last minute, because its lists and fetches may not show that yet:
 * "Recent writes" of the command-line contract. It serves decisions, never what is printed.
 *
 * @param earlier returns the writes of earlier commands, oldest first; called once
 * @param now milliseconds since 1970
 */
export function createRecentWrites(earlier: () => readonly OwnWrite[], now: () => number) {
  let read: readonly OwnWrite[] | undefined;
  const own: OwnWrite[] = [];
  const records = (kind: Kind): readonly OwnRecord[] => {
    read ??= earlier();
    const recent = [...read, ...own].filter(
      (write) => write.kind === kind && isRecent(write.at, now()),
    );
    return recent.reduce<readonly OwnRecord[]>(withWrite, []);
  };
  const find = (kind: Kind, shown: ShownRecord): OwnRecord | undefined =>
    records(kind).findLast(({ record }) => isSame(record, shown));
  return {
    /** Adds a write of this command. */
    note: (write: OwnWrite): void => void own.push(write),
    /** Returns the values that were replaced in a record, by field. */
    replacedIn: (kind: Kind, shown: ShownRecord): OwnRecord["replaced"] =>
      find(kind, shown)?.replaced ?? {},
    /**
     * Returns how a fetch is out of date, as a predicate of the service; undefined if it is not.
     *
     * @param shown undefined if the service has no such record
     */
    outdated: (
      kind: Kind,
      path: RecordPath,
      shown: ShownRecord | undefined,
    ): string | undefined => {
      const noun = kind === "group" ? "group" : "sender ID";
      if (shown === undefined) {
        const wanted = records(kind).findLast(({ record }) => isAskedFor(path, record));
        if (wanted === undefined || wanted.isDeleted || !wanted.isNew) return undefined;
        return `does not yet show the ${noun} ${titleOf(wanted.record)}, which you have just created`;
      }
      const found = find(kind, shown);
      if (found?.isDeleted)
        return `still shows the ${noun} ${titleOf(shown)}, which you have just deleted`;
      const texts = staleFields(found, shown).map(
        (field) => `${field} is ${jsonText(shown[field])}, not ${jsonText(found!.record[field])}`,
      );
      if (texts.length === 0) return undefined;
      return `still shows the values from before your last update: ${texts.join("; ")}`;
    },
    /** Reads a list as the writes have left it. */
    reading: (kind: Kind): OwnView => {
      const written = records(kind);
      const listed = new Set<OwnRecord>();
      return {
        current: (shown: ShownRecord): ShownRecord | undefined => {
          const found = written.findLast(({ record }) => isSame(record, shown));
          if (found === undefined) return shown;
          listed.add(found);
          if (found.isDeleted) return undefined;
          const stale = staleFields(found, shown).map((field) => [field, found.record[field]]);
          return stale.length === 0 ? shown : { ...shown, ...Object.fromEntries(stale) };
        },
        unlisted: (): readonly ShownRecord[] =>
          written
            .filter((found) => found.isNew && !found.isDeleted && !listed.has(found))
            .map(({ record }) => record)
            .toReversed(),
      };
    },
  };
}

/** In place of a value that is not known. */
const anyValue = Symbol("any value");

/** Adds a write to what earlier ones made of its record. A record without an id cannot be recognised. */
function withWrite(
  records: readonly OwnRecord[],
  { kind, before, after }: OwnWrite,
): readonly OwnRecord[] {
  const record = after ?? before;
  if (!record || textOf(record["id"]) === undefined) return records;
  const known = records.findLast((one) => isSame(one.record, before ?? record));
  const isChanged = (field: string): boolean => {
    if (before === null || after === null) return false;
    return before === undefined ? field in after : !isSameValue(field, before[field], after[field]);
  };
  const replaced = Object.fromEntries(
    settable.flatMap((field) => {
      const earlier = known?.replaced[field] ?? [];
      const values = isChanged(field)
        ? [...earlier, before === undefined ? anyValue : before![field]]
        : earlier;
      return values.length === 0 ? [] : [[field, values]];
    }),
  );
  const isNew = before === null || (known?.isNew ?? false);
  return [
    ...records.filter((one) => one !== known),
    // An update may be confirmed by less than a create.
    { kind, record: { ...known?.record, ...record }, isDeleted: after === null, isNew, replaced },
  ];
}

/** Returns the fields of a record that show a value which was replaced. A `sender_id` of null says nothing. */
function staleFields(found: OwnRecord | undefined, shown: ShownRecord): readonly string[] {
  return Object.entries(found?.replaced ?? {}).flatMap(([field, values]) => {
    const value = shown[field];
    const isUnknown =
      value === undefined || (field === "sender_id" && shownSenderId(shown) == null);
    if (isUnknown || isSameValue(field, value, found!.record[field])) return [];
    const isReplaced = values.some((one) => one === anyValue || isSameValue(field, one, value));
    return isReplaced ? [field] : [];
  });
}

/** In milliseconds: services show times with other digits in lists than after a create. */
const maxRounding = 2000;

/** Returns whether two records are the same: an id may belong to another record after a delete. */
function isSame(one: ShownRecord, other: ShownRecord): boolean {
  const pairOf = (field: string) =>
    [one, other].map((record) => textOf(record[field])) as [string?, string?];
  const [id, otherId] = pairOf("id");
  if (id === undefined || id !== otherId) return false;
  const [uuid, otherUuid] = pairOf("uuid");
  if (uuid !== undefined && otherUuid !== undefined)
    return uuid.toLowerCase() === otherUuid.toLowerCase();
  const [time, otherTime] = pairOf("created_at");
  if (time === undefined || otherTime === undefined || time === otherTime) return true;
  return Math.abs(Date.parse(time) - Date.parse(otherTime)) < maxRounding;
}

function isAskedFor(path: RecordPath, { id, uuid, name }: ShownRecord): boolean {
  if ("name" in path) return name === path.name;
  return [id, uuid].some((key) => textOf(key)?.toLowerCase() === path.id.toLowerCase());
}

function titleOf({ id, name }: ShownRecord): string {
  return `${jsonText(name ?? null)} (id ${textOf(id)})`;
}
