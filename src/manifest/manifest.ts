/**
 * What a manifest says there should be: sender IDs and groups as they are desired, each with where it
 * stands. Texts come from outside, and those of faults hold pieces of them: they are for
 * src/output/safe-text.ts before a terminal shows them.
 */

/** Where something stands; lines and columns from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong at a place, and what would be right. */
export interface Fault extends Place {
  readonly message: string;
}

export interface DesiredSenderId {
  readonly name: string;
  readonly purpose: string;
  readonly place: Place;
}

/** A member that is undefined is not managed: it stays as it is. */
export interface DesiredGroup {
  /** Decimal, without leading zeros. */
  readonly id?: string;
  /** In lower case. */
  readonly uuid?: string;
  readonly name: string;
  readonly send_birthday?: boolean;
  readonly send_holiday?: boolean | null;
  readonly birthday_message?: string | null;
  /** The name of a sender ID; null for none. */
  readonly sender_id?: string | null;
  readonly place: Place;
  /** Of the value of `sender_id`. */
  readonly senderIdPlace?: Place;
}

/** A section that no file has is undefined: it is not managed. */
export interface Manifest {
  readonly senderIds: readonly DesiredSenderId[] | undefined;
  readonly groups: readonly DesiredGroup[] | undefined;
}

/** Members of each mapping of a manifest, in the order that people write them. */
export const members = {
  manifest: ["sender_ids", "groups", "$schema"],
  senderId: ["name", "purpose"],
  group: ["id", "uuid", "name", "send_birthday", "send_holiday", "birthday_message", "sender_id"],
} as const;

export const decimalId = /^[1-9][0-9]*$/;
export const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
