import type { Page } from "../contract/records.ts";
import type { Paging } from "../contract/service.ts";

/** One of the pages of a list. */
export interface PageRead {
  readonly page: Page<unknown>;
  readonly number: number;
  readonly cursor: string | undefined;
  /** Whether it was read by the cursor of the page before. */
  readonly isNext: boolean;
  /** Whether it was skipped, because records may be missing before it. */
  readonly isSkipped: boolean;
  /** Whether the service returned its last page instead of one past the end. */
  readonly isLastInstead: boolean;
  /** Whether it has no new records, without a change that would explain it. */
  readonly isAgain: boolean;
  /** Number of records not seen before. */
  readonly fresh: number;
  /** Whether more pages may follow, even beyond `last_page`. */
  readonly isFull: boolean;
}

/**
 * Returns true if a page was the last, false if the service repeats a page instead of the next one, and undefined if
 * more pages may follow.
 */
export function endsAt(
  { page, number, isNext, isLastInstead, isAgain, fresh, isFull }: PageRead,
  isFirst: boolean,
  paging: Paging | undefined,
): boolean | undefined {
  if (isNext) return isFull && fresh > 0 ? undefined : !isFull;
  if (isLastInstead || (!isFirst && page.data.length === 0)) return true;
  if (number > page.last_page && fresh === 0 && paging?.pastTheEnd === "last") return true;
  if (!isFirst && (page.current_page !== number || isAgain)) return false;
  return number >= page.last_page && !isFull ? true : undefined;
}
