import { nouns, settableFields, type RecordKind } from "../contract/resources.ts";
import { shownSenderId, type ShownRecord } from "../contract/service.ts";
import type { OwnView } from "../service/read-list.ts";
import { jsonText } from "../core/json-text.ts";
import { isSameValue, textOf, type RecordPath } from "./compare.ts";

/** One write of this user: the record before and after it, null where it did not exist. */
export interface OwnWrite {
  readonly kind: RecordKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined if it was not read: the write may have replaced any value. */
  readonly before: ShownRecord | null | undefined;
  readonly after: ShownRecord | null;
}

/** What the writes of this user made of one record. */
interface OwnRecord {
  readonly kind: RecordKind;
  /** Of the last write. */
  readonly at: number;
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

export type RecentWrites = ReturnType<typeof createRecentWrites>;

/**
 * Remembers what this user wrote to a service in the last minute, which it may not show yet:
 * "Your last writes count" in docs/remote.md. It serves decisions, never what is printed.
 *
 * @param earlier returns the writes of earlier commands, oldest first; called once
 * @param now milliseconds since 1970
 */
export function createRecentWrites(earlier: () => readonly OwnWrite[], now: () => number) {
  const written: OwnWrite[] = [];
  let records: OwnRecords | undefined;
  /** Reads the earlier writes when something is first decided. */
  const known = (): OwnRecords => {
    if (records === undefined) {
      records = createOwnRecords();
      for (const write of [...earlier(), ...written]) records.add(write);
    }
    return records;
  };
  const isInForce = ({ at }: { readonly at: number }): boolean => isRecent(at, now());
  const find = (kind: RecordKind, shown: ShownRecord): OwnRecord | undefined => {
    const found = known().find(kind, shown);
    return found !== undefined && isInForce(found) ? found : undefined;
  };
  return {
    /** Adds a write of this command. */
    note: (write: OwnWrite): void => {
      if (records === undefined) written.push(write);
      else records.add(write);
    },
    /** Returns the values that were replaced in a record, by field. */
    replacedIn: (kind: RecordKind, shown: ShownRecord): OwnRecord["replaced"] =>
      find(kind, shown)?.replaced ?? {},
    /**
     * Returns how a fetch is out of date, as a predicate of the service; undefined if it is not.
     *
     * @param shown undefined if the service has no such record
     */
    outdated: (
      kind: RecordKind,
      path: RecordPath,
      shown: ShownRecord | undefined,
    ): string | undefined => {
      const noun = nouns[kind];
      if (shown === undefined) {
        const wanted = known().last(kind, ({ record }) => isAskedFor(path, record));
        if (!wanted?.isNew || wanted.isDeleted || !isInForce(wanted)) return undefined;
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
    reading: (kind: RecordKind): OwnView => {
      const listed = new Set<OwnRecord>();
      return {
        current: (shown: ShownRecord): ShownRecord | undefined => {
          const found = find(kind, shown);
          if (found === undefined) return shown;
          listed.add(found);
          if (found.isDeleted) return undefined;
          const stale = staleFields(found, shown).map((field) => [field, found.record[field]]);
          return stale.length === 0 ? shown : { ...shown, ...Object.fromEntries(stale) };
        },
        unlisted: (): readonly ShownRecord[] =>
          known()
            .all(kind)
            .filter((found) => found.isNew && !found.isDeleted && isInForce(found))
            .filter((found) => !listed.has(found))
            .map(({ record }) => record)
            .toReversed(),
      };
    },
  };
}

type OwnRecords = ReturnType<typeof createOwnRecords>;

/** Keeps what writes made of records, in the order of the last write of each. */
function createOwnRecords() {
  const all = new Set<OwnRecord>();
  /** An id may belong to another record after a delete. */
  const byId = new Map<string, readonly OwnRecord[]>();
  const withId = (kind: RecordKind, { id }: ShownRecord): readonly OwnRecord[] =>
    byId.get(`${kind} ${textOf(id)}`) ?? [];
  const find = (kind: RecordKind, shown: ShownRecord): OwnRecord | undefined =>
    withId(kind, shown).findLast(({ record }) => isSame(record, shown));
  const ofKind = (kind: RecordKind): readonly OwnRecord[] =>
    [...all].filter((one) => one.kind === kind);
  return {
    find,
    all: ofKind,
    last: (kind: RecordKind, isWanted: (record: OwnRecord) => boolean): OwnRecord | undefined =>
      ofKind(kind).findLast(isWanted),
    /** Adds a write to the earlier ones of its record. A record without an id is unrecognisable. */
    add: (write: OwnWrite): void => {
      const { kind, before, after } = write;
      const record = after ?? before;
      if (!record || textOf(record["id"]) === undefined) return;
      const known = find(kind, before ?? record);
      const next = afterWrite(known, record, write);
      if (known !== undefined) all.delete(known);
      all.add(next);
      const others = withId(kind, record).filter((one) => one !== known);
      byId.set(`${kind} ${textOf(record["id"])}`, [...others, next]);
    },
  };
}

/** In place of a value that is not known. */
const anyValue = Symbol("any value");

/** Applies a write to its record. @param known what earlier ones made of it */
function afterWrite(
  known: OwnRecord | undefined,
  record: ShownRecord,
  { kind, at, before, after }: OwnWrite,
): OwnRecord {
  const isChanged = (field: string): boolean => {
    if (before === null || after === null) return false;
    return before === undefined ? field in after : !isSameValue(field, before[field], after[field]);
  };
  const replaced = Object.fromEntries(
    settableFields.flatMap((field) => {
      const earlier = known?.replaced[field] ?? [];
      const value = before === undefined ? anyValue : before?.[field];
      const values = isChanged(field) ? [...earlier, value] : earlier;
      return values.length === 0 ? [] : [[field, values]];
    }),
  );
  const isNew = before === null || (known?.isNew ?? false);
  // An update may be confirmed by less than a create.
  const whole = { ...known?.record, ...record };
  return { kind, at, record: whole, isDeleted: after === null, isNew, replaced };
}

/** Returns the fields of a record that show a replaced value. A null `sender_id` says nothing. */
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
