import { succeeded } from "../../contract/service.ts";
import { areSameForPeople } from "../../core/names.ts";
import { isNear, quotedPair } from "../../core/text.ts";
import { newestPage, type List } from "../../service/read-list.ts";

/** A record as a list shows it. Any service may be the target, so its values are unknown. */
type ListedRecord = Readonly<Record<string, unknown>>;

/** Returns the newest records of a list, with one or two requests. An empty list if the service refuses. */
export async function newestRecords(list: List): Promise<readonly ListedRecord[]> {
  const reply = await newestPage(list);
  const page = (reply.envelope?.data ?? {}) as { readonly data?: unknown };
  if (!succeeded(reply) || !Array.isArray(page.data)) return [];
  return page.data.filter((record) => typeof record === "object" && record !== null);
}

/** Maximum number of names in a hint. */
const maxNames = 3;

/**
 * Returns the records whose names differ from a word in case, in a letter or in what follows, as a hint; undefined for none.
 *
 * @param hasIds whether the hint has their ids, too
 */
export function nearestNames(
  word: string,
  records: readonly ListedRecord[],
  hasIds: boolean,
): string | undefined {
  const near = records.filter(({ name }) => {
    if (typeof name !== "string" || name === word) return false;
    return isNear(word, name) || areSameForPeople(word, name);
  });
  if (near.length === 0) return undefined;
  const names = near.slice(0, maxNames).map(({ id, name }) => {
    const [, shown] = quotedPair(word, String(name));
    return hasIds ? `${shown} (${String(id)})` : shown;
  });
  return `did you mean ${names.join(" or ")}?`;
}
