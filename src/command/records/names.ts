import type { ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { areSameForPeople, sameForPeople } from "../../core/names.ts";
import { jsonText } from "../../core/json-text.ts";
import { isNear, quotedPair } from "../../core/text.ts";
import { nouns, type RecordKind } from "../../manifest/manifest.ts";
import { newestPage, type List } from "../../service/read-list.ts";

/** Returns the newest records of a list, with one or two requests. @throws Refusal */
export async function newestRecords(list: List): Promise<readonly ShownRecord[]> {
  const reply = await newestPage(list);
  const page = (reply.envelope?.data ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(page.data)) return [];
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
  records: readonly ShownRecord[],
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

/**
 * Creates a search for a record whose name is the same for people as a new one. A service that rewrites names would
 * otherwise get another record from each run of a job.
 */
export function searchSimilar(noun: string, name: string) {
  let similar: ShownRecord | undefined;
  return {
    /** Receives each record of the list. */
    take: (record: ShownRecord): void => {
      if (areSameForPeople(name, record["name"])) similar ??= record;
    },
    /** @throws SendctlError "conflict" if there is one */
    refuse: (): void => {
      if (similar === undefined) return;
      const [stored, id] = [String(similar["name"]), String(similar["id"])];
      const { message, hint } = sameForPeople(noun, name, stored, id);
      throw new SendctlError("conflict", `${message}; nothing was created`, { hint });
    },
  };
}

/** Returns the error for a record that a list shows and a fetch does not, so that it may just have been deleted. */
export function stillListed(kind: RecordKind, name: string): SendctlError {
  const message = `the list shows the ${nouns[kind]} ${jsonText(name)}, but a fetch does not find it; nothing was created`;
  return new SendctlError("differences", message, { hint: "repeat the command in a minute" });
}
