import type { Group, Records, SenderId } from "./records.ts";

type SenderIdState = Pick<SenderId, "name" | "purpose"> & { readonly id: string };

export type GroupState = Omit<Group, "id" | "uuid" | "contacts" | "created"> & {
  readonly id: string;
};

/** A snapshot of a service's records, oldest first, with ids as text. */
export interface State {
  readonly senderIds: readonly SenderIdState[];
  readonly groups: readonly GroupState[];
}

export function stateOf({ senderIds, groups }: Records): State {
  return {
    senderIds: senderIds.rows.map(({ id, name, purpose }) => ({ id: String(id), name, purpose })),
    groups: groups.rows.map((row) => {
      const { name, send_birthday, send_holiday, birthday_message, sender_id } = row;
      const fields = { name, send_birthday, send_holiday, birthday_message, sender_id };
      return { id: String(row.id), ...fields };
    }),
  };
}

/** The differences between two states. */
export interface Delta {
  readonly addedSenderIds: readonly SenderIdState[];
  readonly removedSenderIds: readonly SenderIdState[];
  readonly addedGroups: readonly GroupState[];
  readonly removedGroups: readonly GroupState[];
  readonly changedGroups: readonly GroupState[];
}

export function deltaOf(before: State, after: State): Delta {
  const old = new Set(before.groups.map((group) => JSON.stringify(group)));
  const added = without(after.groups, before.groups);
  return {
    addedSenderIds: without(after.senderIds, before.senderIds),
    removedSenderIds: without(before.senderIds, after.senderIds),
    addedGroups: added,
    removedGroups: without(before.groups, after.groups),
    changedGroups: without(after.groups, added).filter((group) => !old.has(JSON.stringify(group))),
  };
}

function without<Row extends { readonly id: string }>(
  rows: readonly Row[],
  others: readonly Row[],
): Row[] {
  const ids = new Set(others.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}
