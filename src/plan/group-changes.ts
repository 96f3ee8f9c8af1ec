import type { GroupChanges, GroupFields } from "../contract/service.ts";
import { groupFields, namesOf } from "../contract/resources.ts";
import { comparedGroupFields, type DesiredGroup } from "../manifest/manifest.ts";

/** A record as the service shows it. */
export type Existing = Readonly<Record<string, unknown>>;

/** What a create takes; it leaves what is null to the service. */
const created = namesOf(groupFields, ({ create }) => create !== undefined);

/**
 * Returns the body of a create. A create takes neither sender_id nor send_holiday, so some groups take a create
 * and an update, and the update may fail. What is missing then is easiest to see in a field that responses show:
 * where send_holiday is not set, the birthday message is left to the update as well.
 */
export function createBody(group: DesiredGroup): GroupFields {
  const isDeferred = typeof group.sender_id === "string" && typeof group.send_holiday !== "boolean";
  const wanted: Readonly<Record<string, unknown>> = isDeferred
    ? { ...group, birthday_message: null }
    : { ...group };
  const given = created.filter((name) => (wanted[name] ?? null) !== null);
  return Object.fromEntries(given.map((name) => [name, wanted[name]])) as unknown as GroupFields;
}

/** A field that differs from what is wanted. */
export interface Change {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the service shows of a group, beside what is wanted of it. */
export function changesOf(group: DesiredGroup, record: Existing): readonly Change[] {
  return comparedGroupFields.flatMap((member) => {
    const to = group[member];
    const from = record[member] ?? null;
    return to === undefined || to === from ? [] : [{ member, from, to }];
  });
}

/** An update that makes these changes; sender_id, which can't be compared, goes with every one. */
export function updateBody(
  group: DesiredGroup,
  changes: readonly Change[],
): GroupChanges | undefined {
  const members = Object.fromEntries(changes.map(({ member, to }) => [member, to]));
  const sender = group.sender_id === undefined ? {} : { sender_id: group.sender_id };
  const body: GroupChanges = { ...members, ...sender };
  return Object.keys(body).length === 0 ? undefined : body;
}
