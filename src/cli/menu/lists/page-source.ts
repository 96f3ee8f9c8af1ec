import type { Page } from "../../../contract/records.ts";
import { succeeded, type ShownRecord } from "../../../contract/service.ts";
import type { List } from "../../../service/pages.ts";
import { eachRecord } from "../../../service/read-list.ts";
import { recordsOf } from "../record-lists.ts";

/** A page of a list or of search results. */
export interface ShownPage {
  readonly records: readonly ShownRecord[];
  readonly page: number;
  readonly lastPage: number;
  readonly total: number;
  /** Whether a search found more records than it shows. */
  readonly hasMore?: boolean;
}

/** Returns a page, counted from 1; undefined if the service refused. */
export type PageSource = (page: number) => Promise<ShownPage | undefined>;

/** Page size of lists that are read as a whole. */
const pageSize = 15;

/** Maximum number of search results: the newest ones. */
const maxFound = 1000;

/** Returns the pages of a list as the service divides it. */
export function servicePages(list: List): PageSource {
  return async (wanted) => {
    const reply = await list(wanted === 1 ? {} : { page: wanted });
    if (!succeeded(reply)) return undefined;
    const { current_page, last_page, total } = reply.envelope!.data as Page<unknown>;
    const records = recordsOf(reply);
    // The last page may have become empty.
    if (records.length === 0 && wanted > 1 && last_page < wanted) {
      return servicePages(list)(Math.max(1, last_page));
    }
    return { records, page: current_page, lastPage: last_page, total };
  };
}

/** Returns the pages of a list that is read as a whole. */
export function slicedPages(read: () => Promise<readonly ShownRecord[] | undefined>): PageSource {
  return async (wanted) => {
    const records = await read();
    return records === undefined ? undefined : slice(records, wanted);
  };
}

/** Returns the pages of the records with a text in any text field, ignoring case. */
export function foundPages(list: List, text: string): PageSource {
  const term = text.toLowerCase();
  return async (wanted) => {
    const found: ShownRecord[] = [];
    let total = 0;
    const refusal = await eachRecord(list, (record) => {
      if (!containsTerm(record, term)) return;
      total += 1;
      if (found.length < maxFound) found.push(record);
    });
    if (refusal !== undefined) return undefined;
    return { ...slice(found, wanted), total, hasMore: total > found.length };
  };
}

/** Fields that are not useful to search. */
const unsearched: ReadonlySet<string> = new Set(["uuid", "created_at", "updated_at"]);

function containsTerm(record: ShownRecord, term: string): boolean {
  return Object.entries(record).some(
    ([field, value]) =>
      typeof value === "string" && !unsearched.has(field) && value.toLowerCase().includes(term),
  );
}

function slice(records: readonly ShownRecord[], wanted: number): ShownPage {
  const lastPage = Math.max(1, Math.ceil(records.length / pageSize));
  const page = Math.min(wanted, lastPage);
  const shown = records.slice((page - 1) * pageSize, page * pageSize);
  return { records: shown, page, lastPage, total: records.length };
}
