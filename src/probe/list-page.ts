import { isObject } from "../contract/envelope.ts";
import { type Fields, type Outcome } from "./outcome.ts";

/** A page as a service sent it. Fields that are missing or not whole numbers are undefined. */
export interface ListPage {
  readonly records: readonly Fields[];
  readonly current: number | undefined;
  readonly last: number | undefined;
  readonly perPage: number | undefined;
  readonly total: number | undefined;
}

/** The first page of each list, which other experiments use. */
export interface FirstLists {
  readonly groups: ListPage;
  /** Undefined if the list of sender IDs cannot be read. */
  readonly senderIds: ListPage | undefined;
}

export const groupList = "/v1/group";
export const senderIdList = "/v1/sender-id";

/** Reads a page; undefined if the outcome is not a list of records. */
export function listPageOf(outcome: Outcome): ListPage | undefined {
  if (outcome.kind !== "success" || !isObject(outcome.data)) return undefined;
  const { data: records, current_page, last_page, per_page, total } = outcome.data;
  if (!Array.isArray(records) || !records.every(isObject)) return undefined;
  return {
    records,
    current: countOf(current_page),
    last: countOf(last_page),
    perPage: countOf(per_page),
    total: countOf(total),
  };
}

/** Some services send numbers as text. */
function countOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}

/** Returns the id of a record as text, whatever its JSON type; undefined if it has none. */
export function idOf({ id }: Fields): string | undefined {
  if (typeof id === "string") return id === "" ? undefined : id;
  return typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : undefined;
}
