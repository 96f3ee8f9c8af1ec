import type { Group } from "../../contract/records.ts";

/** Writes of many records at once: each call is one transaction, all or nothing. */
export interface SeedStore {
  /** Those whose names the integration has are left out. @returns how many were added */
  readonly insertManySenderIds: (
    integration: number,
    senderIds: readonly SeedSenderId[],
  ) => Promise<number>;
  /**
   * @param uuidsFrom gives uuids one after the other, for groups whose ids begin with this one
   * @returns their ids, in their order
   */
  readonly insertManyGroups: (
    integration: number,
    groups: readonly SeedGroup[],
    uuidsFrom: (firstId: number) => () => string,
  ) => Promise<readonly number[]>;
  /**
   * Those whose group is gone, or has a contact with that phone, are left out.
   *
   * @returns how many were added
   */
  readonly insertManyContacts: (contacts: readonly SeedContact[]) => Promise<number>;
}

export interface SeedSenderId {
  readonly name: string;
  readonly purpose: string;
  readonly status: "PENDING" | "APPROVED" | "REJECTED";
}

export interface SeedGroup extends Pick<
  Group,
  "name" | "send_birthday" | "send_holiday" | "birthday_message"
> {
  /** The name of a sender ID: none where that is gone. */
  readonly senderId: string | null;
}

export interface SeedContact {
  readonly groupId: number;
  /** E.164: +2348030000000. */
  readonly phone: string;
  readonly firstName: string | null;
  /** 2000-02-29. */
  readonly birthDate: string | null;
}
