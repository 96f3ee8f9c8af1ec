import type { Group } from "../../contract/service.ts";

/** Bulk inserts. Each call is one transaction. */
export interface SeedStore {
  /**
   * @param uuidsFrom returns a generator of uuids for groups whose ids start at `firstId`
   * @returns the id of the first group; those of the others follow it
   */
  readonly insertManyGroups: (
    integration: number,
    groups: readonly SeedGroup[],
    uuidsFrom: (firstId: number) => () => string,
  ) => Promise<number>;
  /**
   * Skips contacts whose group was deleted or already has the phone.
   *
   * @returns the number of contacts added
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
  /** The name of a sender ID; stored as null if that sender ID was deleted. */
  readonly senderId: string | null;
}

export interface SeedContact {
  readonly groupId: number;
  /** E.164, such as +2348030000000. */
  readonly phone: string;
  readonly firstName: string | null;
  /** Such as 2000-02-29. */
  readonly birthDate: string | null;
}
