import type { Group, SenderId } from "../contract/records.ts";
import type { Microseconds, StoredGroup, StoredSenderId } from "./store.ts";

/** ISO 8601, UTC, six fractional digits and `Z`: specification, part 2. */
export function timestamp(time: Microseconds): string {
  const milliseconds = Math.floor(time / 1000);
  const rest = String(time - milliseconds * 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}

export function senderIdRecord(stored: StoredSenderId): SenderId {
  return {
    id: stored.id,
    name: stored.name,
    purpose: stored.purpose,
    status: stored.status,
    created_at: timestamp(stored.createdAt),
  };
}

/** As create, fetch and update answer it: without contacts_count, and never with sender_id. */
export function groupRecord(stored: StoredGroup): Group {
  return {
    id: stored.id,
    uuid: stored.uuid,
    name: stored.name,
    send_birthday: stored.sendBirthday,
    send_holiday: stored.sendHoliday,
    birthday_message: stored.birthdayMessage,
    created_at: timestamp(stored.createdAt),
  };
}

/** As a list answers it: with contacts_count. Written out, because copying members costs as much as reading a row. */
export function listedGroupRecord(stored: StoredGroup): Group {
  return {
    id: stored.id,
    uuid: stored.uuid,
    name: stored.name,
    send_birthday: stored.sendBirthday,
    send_holiday: stored.sendHoliday,
    birthday_message: stored.birthdayMessage,
    contacts_count: stored.contactsCount,
    created_at: timestamp(stored.createdAt),
  };
}
