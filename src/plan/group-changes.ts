import type { GroupChanges, GroupFields } from "../contract/service.ts";
import { groupFields, namesOf } from "../contract/resources.ts";
import { comparedGroupFields, type DesiredGroup } from "../manifest/manifest.ts";

/** A record as the service shows it. */
export type Existing = Readonly<Record<string, unknown>>;

/**
 * A create takes neither sender_id nor send_holiday, so some groups need a create and an update, and the
 * update may fail. What is missing then has to be seen, and the service never shows a sender_id. So a
 * group that is to get one, and has no holiday setting to be told by, is created without its message, or
 * with this one, which the update takes away again. A new group has no contacts who could get it.
 */
const unfinishedMessage = "(not finished: run `sendctl apply` again)";

/** What a create takes; it leaves what is null to the service. */
const created = namesOf(groupFields, ({ create }) => create !== undefined);

/** What a group is created with. */
export function createBody(group: DesiredGroup): GroupFields {
  const wanted: Readonly<Record<string, unknown>> = isToldByMessage(group)
    ? {
        ...group,
        birthday_message: typeof group.birthday_message === "string" ? null : unfinishedMessage,
      }
    : { ...group };
  const given = created.filter((name) => (wanted[name] ?? null) !== null);
  return Object.fromEntries(given.map((name) => [name, wanted[name]])) as unknown as GroupFields;
}

function isToldByMessage({ sender_id, send_holiday }: DesiredGroup): boolean {
  return typeof sender_id === "string" && typeof send_holiday !== "boolean";
}

/** One member that is not as it is wanted. */
export interface Change {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the service shows of a group, beside what is wanted of it. */
export function changesOf(group: DesiredGroup, record: Existing): readonly Change[] {
  const isUnfinished = record["birthday_message"] === unfinishedMessage;
  const wanted: DesiredGroup = isUnfinished ? { birthday_message: null, ...group } : group;
  return comparedGroupFields.flatMap((member) => {
    const to = wanted[member];
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
