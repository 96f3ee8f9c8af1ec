import type { Records } from "./records.ts";

interface SenderIdState {
  readonly id: string;
  readonly name: string | null;
  readonly purpose: string | null;
}

export interface GroupState {
  readonly id: string;
  readonly name: string | null;
  readonly send_birthday: boolean;
  readonly send_holiday: boolean | null;
  readonly birthday_message: string | null;
  readonly sender_id: string | null;
}

/** A snapshot of a service's records, oldest first, with ids as text. */
export interface State {
  readonly senderIds: readonly SenderIdState[];
  readonly groups: readonly GroupState[];
}

export function stateOf({ senderIds, groups }: Records): State {
  return {
    senderIds: senderIds.rows.map(({ id, name, purpose }) => ({ id: String(id), name, purpose })),
    groups: groups.rows.map(
      ({ id, name, send_birthday, send_holiday, birthday_message, sender_id }) => ({
        id: String(id),
        name,
        send_birthday,
        send_holiday,
        birthday_message,
        sender_id,
      }),
    ),
  };
}

/** The differences between two states. */
export interface Delta {
  readonly addedSenderIds: readonly SenderIdState[];
  readonly removedSenderIds: readonly SenderIdState[];
  readonly addedGroups: readonly GroupState[];
  readonly removedGroups: readonly GroupState[];
  readonly changedGroups: readonly { readonly from: GroupState; readonly to: GroupState }[];
}

export function deltaOf(before: State, after: State): Delta {
  return {
    addedSenderIds: without(after.senderIds, before.senderIds),
    removedSenderIds: without(before.senderIds, after.senderIds),
    addedGroups: without(after.groups, before.groups),
    removedGroups: without(before.groups, after.groups),
    changedGroups: after.groups.flatMap((to) => {
      const from = before.groups.find(({ id }) => id === to.id);
      return from === undefined || JSON.stringify(from) === JSON.stringify(to)
        ? []
        : [{ from, to }];
    }),
  };
}

function without<Row extends { readonly id: string }>(
  rows: readonly Row[],
  others: readonly Row[],
): Row[] {
  const ids = new Set(others.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}

/** Returns the number of records that differ. */
export function sizeOf(delta: Delta): number {
  return Object.values(delta).reduce((sum, { length }) => sum + length, 0);
}
