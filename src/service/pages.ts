import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";

/** The operation that lists records. */
export type List = (query: PageQuery) => Promise<Reply>;

/** Records to ask for at a time where nothing is said; a service that refuses so many decides itself. */
const usualPerPage = 1000;

/** Statuses that may mean: not so many records a page. */
const invalidStatuses: ReadonlySet<number> = new Set([400, 422]);

/**
 * A list, page by page, up to the last that the service names. A list may grow while it is read, but not
 * without end: there is a bound on the pages. A refusal is the last thing that comes.
 *
 * @param perPage records to ask for at a time
 */
export async function* pagesOf(list: List, perPage: number | undefined): AsyncGenerator<Reply> {
  let size: PageQuery = { perPage: perPage ?? usualPerPage };
  let first = await list(size);
  if (perPage === undefined && invalidStatuses.has(first.status)) {
    size = {};
    first = await list(size);
  }
  yield first;
  if (!succeeded(first)) return;
  let last = lastPage(first);
  const mostPages = 2 * last + 100;
  for (let page = 2; page <= Math.min(last, mostPages); page += 1) {
    const reply = await list({ ...size, page });
    yield reply;
    if (!succeeded(reply)) return;
    last = lastPage(reply);
  }
}

function lastPage(reply: Reply): number {
  return (reply.envelope!.data as Page<unknown>).last_page;
}
