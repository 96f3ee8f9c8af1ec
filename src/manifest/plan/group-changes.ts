import type { GroupChanges, GroupFields } from "../../contract/service.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import { comparedGroupFields, type DesiredGroup } from "../manifest.ts";

/** A record in a response of the service. */
export type Existing = Readonly<Record<string, unknown>>;

/** The fields of a create. Null ones are omitted, so that the service uses its defaults. */
const created = namesOf(groupFields, ({ create }) => create !== undefined);

/**
 * Returns the body of a create. A create accepts neither sender_id nor send_holiday, so some groups need a create and
 * an update, and the update may fail. The next plan can see that only in a field that responses show. If send_holiday
 * is not set, the birthday message is therefore also left to the update.
 */
export function createBody(group: DesiredGroup): GroupFields {
  const isDeferred = typeof group.sender_id === "string" && typeof group.send_holiday !== "boolean";
  const wanted: Readonly<Record<string, unknown>> = isDeferred
    ? { ...group, birthday_message: null }
    : { ...group };
  const given = created.filter((name) => (wanted[name] ?? null) !== null);
  return Object.fromEntries(given.map((name) => [name, wanted[name]])) as unknown as GroupFields;
}

/** A field that differs from the manifest. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns the fields of a group that differ from the record. */
export function changesOf(group: DesiredGroup, record: Existing): readonly Change[] {
  return comparedGroupFields.flatMap((field) => {
    const to = group[field];
    const from = record[field] ?? null;
    return to === undefined || to === from ? [] : [{ field, from, to }];
  });
}

/** Returns the body of an update. It includes sender_id, which cannot be compared; undefined if it would be empty. */
export function updateBody(
  group: DesiredGroup,
  changes: readonly Change[],
): GroupChanges | undefined {
  const changed = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  const sender = group.sender_id === undefined ? {} : { sender_id: group.sender_id };
  const body: GroupChanges = { ...changed, ...sender };
  return Object.keys(body).length === 0 ? undefined : body;
}
