import type { Page } from "../../../contract/records.ts";
import { succeeded, type ShownRecord } from "../../../contract/service.ts";
import type { List } from "../../../service/pages.ts";
import { streamList } from "../../../service/stream-list.ts";
import { recordsOf } from "../record-lists.ts";

/** A page of a list, or of what a search found. */
export interface ShownPage {
  readonly records: readonly ShownRecord[];
  readonly page: number;
  readonly lastPage: number;
  readonly total: number;
  /** Whether a search found more records than it keeps. */
  readonly hasMore?: boolean;
}

/** Returns a page, from 1; undefined where the service refused. */
export type PageSource = (page: number) => Promise<ShownPage | undefined>;

/** Records on a page of a list that the embedded engine, or a search, gives as a whole. */
const pageSize = 15;

/** Records that a search keeps, the newest ones. */
const mostFound = 1000;

/** Returns the pages of a list, as the service makes them. */
export function servicePages(list: List): PageSource {
  return async (wanted) => {
    const reply = await list(wanted === 1 ? {} : { page: wanted });
    if (!succeeded(reply)) return undefined;
    const { current_page, last_page, total } = reply.envelope!.data as Page<unknown>;
    const records = recordsOf(reply);
    // The last page may have been emptied.
    if (records.length === 0 && wanted > 1 && last_page < wanted) {
      return servicePages(list)(Math.max(1, last_page));
    }
    return { records, page: current_page, lastPage: last_page, total };
  };
}

/** Returns the pages of a list that comes as a whole. */
export function slicedPages(read: () => Promise<readonly ShownRecord[] | undefined>): PageSource {
  return async (wanted) => {
    const records = await read();
    return records === undefined ? undefined : slice(records, wanted);
  };
}

/** Returns the pages of the records that hold a text in any text field, whatever its case. */
export function foundPages(list: List, text: string): PageSource {
  const term = text.toLowerCase();
  return async (wanted) => {
    const found: ShownRecord[] = [];
    let total = 0;
    const read = await streamList(list, undefined, async (lines) => {
      for (const { record } of lines) {
        if (!holds(record, term)) continue;
        total += 1;
        if (found.length < mostFound) found.push(record);
      }
    });
    if ("refusal" in read) return undefined;
    return { ...slice(found, wanted), total, hasMore: total > found.length };
  };
}

/** Fields that no person searches. */
const unsearched: ReadonlySet<string> = new Set(["uuid", "created_at", "updated_at"]);

function holds(record: ShownRecord, term: string): boolean {
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
