import { groupList, idOf, listPageOf } from "../list-page.ts";
import type { Fields } from "../outcome.ts";
import { scratchNameOf } from "../own-name.ts";
import type { Requests } from "../session.ts";

/** The most pages that are read. */
const maxPages = 100;

/** Finds the groups of a run in the list, as far as it can be read. @param perPage undefined for the default */
export async function findScratch(
  requests: Requests,
  perPage: number | undefined,
  run: string,
): Promise<readonly Fields[]> {
  const seen = new Map<string, Fields>();
  let total = 0;
  for (let page = 1; page <= maxPages; page += 1) {
    const query = [
      ...(perPage === undefined ? [] : [`perPage=${perPage}`]),
      ...(page === 1 ? [] : [`page=${page}`]),
    ];
    const path = query.length === 0 ? groupList : `${groupList}?${query.join("&")}`;
    const found = listPageOf(await requests.get(path));
    if (found === undefined) break;
    const before = seen.size;
    for (const record of found.records) seen.set(idOf(record) ?? "", record);
    total = Math.max(total, found.total ?? 0);
    const isWhole = seen.size >= total && (found.last ?? 1) <= page;
    // A service that ignores page numbers sends the same records again.
    if (isWhole || seen.size === before) break;
  }
  const isOwn = (record: Fields): boolean => scratchNameOf(record)?.startsWith(`${run}-`) === true;
  return [...seen.values()].filter(isOwn);
}
