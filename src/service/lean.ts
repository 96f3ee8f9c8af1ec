import type { List } from "./read-list.ts";

/**
 * Keeps V8 from growing its young generation, and the garbage in the old one beyond the memory in
 * use, for commands on up to a million records. Peak memory drops by a third or more, and some
 * commands take a tenth longer.
 */
export async function stayLean(): Promise<void> {
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
}

/**
 * Returns a list that stays lean from the second page on. Not before: V8 rejects the cached code of
 * files that are loaded after its flags have changed.
 */
export function leanPages(list: List): List {
  return async (query) => {
    if (query.page !== undefined) await stayLean();
    return list(query);
  };
}
