import { Refused } from "./refusals.ts";
import type { Table } from "./records.ts";
import type { Switches } from "./switches.ts";

/** Returns the requested page object: specification, part 2. @throws Refused */
export function pageOf<Row extends { readonly id: bigint }>(
  table: Table<Row>,
  query: URLSearchParams,
  switches: Switches,
  shown: (row: Row) => object,
): object {
  const size = sizeOf(query, switches);
  const requested = numberOf(query, "page");
  if (requested !== undefined && switches.page === "refused") {
    throw new Refused("invalid", "Unknown query parameter: page", "page");
  }
  const current = switches.page === "honoured" ? (requested ?? 1) : 1;
  // Overlapping pages of one record each would never end.
  const step = switches.pagesOverlap && size > 1 ? size - 1 : size;
  const listed = table.listed();
  const total = table.reportedTotal();
  const last = Math.max(1, Math.ceil((total - (size - step)) / step));
  const start = (current - 1) * step;
  const rows = switches.order === "descending" ? listed.toReversed() : listed;
  if (start >= rows.length && current > 1 && switches.pastTheEnd === "refused") {
    throw new Refused("missing", "Page not found", "page");
  }
  return {
    data: rows.slice(start, start + size).map(shown),
    current_page: current,
    last_page: last,
    per_page: size,
    ...(switches.withoutTotal ? {} : { total }),
  };
}

function sizeOf(query: URLSearchParams, switches: Switches): number {
  const requested = numberOf(query, "perPage") ?? switches.defaultPerPage;
  if (requested <= switches.maxPerPage) return requested;
  if (switches.overMaxPerPage === "capped") return switches.maxPerPage;
  throw new Refused("invalid", `perPage may be at most ${switches.maxPerPage}.`, "perPage");
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Refused("invalid", `${name} must be a positive integer.`, name);
}
