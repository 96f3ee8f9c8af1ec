import { ownBehaviour, switches, type Behaviour } from "../../contract/behaviour.ts";
import { operations, type OperationName } from "../../contract/operations.ts";
import type { Page, PageQuery, Reply } from "../../contract/service.ts";
import type { Slice } from "../store/store.ts";
import { reply, type FieldErrors } from "./replies.ts";
import { firstPage } from "./rulings.ts";

/** A valid page of a list. */
export interface RequestedPage {
  readonly perPage: number;
  readonly page: number;
}

/** Reads page size and page number from a query, or returns its errors (rulings 18 and 19). */
export function readPage(
  query: PageQuery,
  behaviour: Behaviour = ownBehaviour,
): RequestedPage | { readonly errors: FieldErrors } {
  const errors: FieldErrors = {};
  const { min } = switches.per_page_default;
  const max = behaviour.per_page_max;
  const perPage = pageSize(query.perPage, behaviour);
  if (perPage === undefined || perPage < min || perPage > max) {
    errors["perPage"] = [`must be a whole number from ${min} to ${max}`];
  }
  const isIgnored = behaviour.page_parameter === "ignored";
  const page = isIgnored ? firstPage : wholeNumber(query.page, firstPage);
  if (behaviour.page_parameter === "refused" && query.page !== undefined) {
    errors["page"] = ["is not a parameter of this list"];
  } else if (page === undefined || page < firstPage) {
    errors["page"] = [`must be a whole number from ${firstPage}`];
  }
  if (perPage === undefined || page === undefined || Object.keys(errors).length > 0) {
    return { errors };
  }
  return { perPage, page };
}

/** Returns the page size of a query; undefined if it is not a number. */
function pageSize(given: number | string | undefined, behaviour: Behaviour): number | undefined {
  const { per_page_default, per_page_max } = behaviour;
  const size = wholeNumber(given, per_page_default);
  const isHuge = size === undefined && /^[0-9]{16,}$/.test(String(given));
  if (behaviour.per_page_over_max === "capped" && (isHuge || (size ?? 0) > per_page_max)) {
    return per_page_max;
  }
  const isInvalid = !isHuge && (size === undefined || size < switches.per_page_default.min);
  return isInvalid && behaviour.per_page_invalid === "default" ? per_page_default : size;
}

/** Rejects numbers over 15 digits, which a double may not represent exactly. */
function wholeNumber(value: number | string | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (!/^[0-9]{1,15}$/.test(String(value))) return undefined;
  return Number(value);
}

/** Converts a slice to a page (specification, part 2, and ruling 19). */
export function pageOf<Stored, Item>(
  { items, total }: Slice<Stored>,
  { perPage, page }: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
): Page<Item> {
  return {
    data: items.map((item) => record(item)),
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total,
  };
}

/** Replies of slices that a store caches. A slice never changes, so neither does its reply. */
const replies = new WeakMap<Slice<unknown>, Reply>();

/** Longer pages are mostly read once by `--all`, and their replies would fill the memory. */
const maxCachedItems = 100;

/**
 * Returns the reply of a list. The same slice always stands for the same page.
 *
 * @param cursor selects the records after the page
 */
export function listed<Stored, Item>(
  operation: OperationName,
  slice: Slice<Stored>,
  page: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
  cursor?: string,
): Reply {
  const cached = replies.get(slice);
  // If the cursor of a request was ignored, its response has none, unlike others with the same slice.
  if (cached !== undefined && cached.cursor === cursor) return cached;
  const { status, message } = operations[operation];
  const envelope = { status: true, message, data: pageOf(slice, page, record) };
  const listing = reply(status, envelope, envelope, cursor);
  if (slice.items.length <= maxCachedItems) replies.set(slice, listing);
  return listing;
}

/**
 * A cursor of a list: where a page ended, as a text that only the engine understands. It selects records of the caller's
 * integration only, whatever it contains. The check excludes cursors of other lists and integrations, and damaged ones.
 */
const cursorForm = /^([0-9a-z]{1,11})-[0-9a-z]{1,14}$/;

/** Returns the cursor of a page. @param list the list and its integration @param id the last id of the page */
export function cursorAfter(list: string, id: number): string {
  return `${id.toString(36)}-${checkOf(`${list} ${id}`)}`;
}

/** Returns the id that a page ended with; undefined if the text is not a cursor of this list. */
export function idBefore(list: string, cursor: unknown): number | undefined {
  const digits = typeof cursor === "string" ? cursorForm.exec(cursor)?.[1] : undefined;
  const id = digits === undefined ? Number.NaN : Number.parseInt(digits, 36);
  return Number.isSafeInteger(id) && cursorAfter(list, id) === cursor ? id : undefined;
}

/** Returns a checksum: FNV-1a with 32 bits, twice. It prevents accidents, not forgery, which gains nothing. */
function checkOf(text: string): string {
  const hashFrom = (start: number): string => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    return (hash >>> 0).toString(36);
  };
  return hashFrom(0x811c9dc5) + hashFrom(0x9747b28c);
}
