import type { ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { areSameForPeople, sameForPeople } from "../../core/names.ts";

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
