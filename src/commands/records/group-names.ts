import { SendctlError } from "../../contract/error.ts";
import { kindOfReply } from "../../output/exit-codes.ts";
import { refusalMessage } from "../../output/refusal.ts";
import type { List } from "../../service/pages.ts";
import { eachRecord } from "../../service/stream-list.ts";

/** Forces a name where a key could be an id: `name:12`. */
const namePrefix = "name:";

/** Ids that an error lists. */
const mostListed = 20;

/** Returns the name that a key of a group stands for. */
function nameIn(key: string): string {
  return key.startsWith(namePrefix) ? key.slice(namePrefix.length) : key;
}

/**
 * Returns the id of the only group with a name. All pages are read, because the service has no search and
 * names need not be unique.
 *
 * @param key the name, or `name:` and the name
 * @throws SendctlError "not_found"; "usage" where several groups have the name, and in a dry run
 */
export async function groupIdOf(key: string, list: List, isDryRun: boolean): Promise<string> {
  const idsOf = await groupIdsOf([key], list, isDryRun);
  return onlyId(key, idsOf.get(key)!);
}

/**
 * Returns the ids of the groups with each of some names, by the key that was given for it.
 *
 * @param list the operation; it is read once, however many names there are
 * @throws SendctlError of the kind of the refusal where the service refuses to list its groups
 */
export async function groupIdsOf(
  keys: readonly string[],
  list: List,
  isDryRun: boolean,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (isDryRun) {
    throw new SendctlError(
      "usage",
      `--dry-run cannot look up the group named "${nameIn(keys[0]!)}"`,
      {
        hint: "pass the id or the uuid of the group",
        setting: "--dry-run",
      },
    );
  }
  const idsByName = new Map(keys.map((key) => [nameIn(key), [] as string[]]));
  const refused = await eachRecord(list, (record) => {
    const { name, id } = record;
    if (typeof name === "string") idsByName.get(name)?.push(String(id));
  });
  if (refused !== undefined) {
    const kind = kindOfReply(refused) ?? "unexpected_response";
    throw new SendctlError(kind, refusalMessage(refused), { httpStatus: refused.status });
  }
  return new Map(keys.map((key) => [key, idsByName.get(nameIn(key))!]));
}

/** Returns the only id of a name. @throws SendctlError "not_found" for none, "usage" for several */
export function onlyId(key: string, ids: readonly string[]): string {
  const name = nameIn(key);
  if (ids.length === 1) return ids[0]!;
  if (ids.length === 0) {
    throw new SendctlError("not_found", `no group is named "${name}"`, {
      hint: "sendctl group list --all",
    });
  }
  const listed = ids.slice(0, mostListed).join(", ");
  const more = ids.length > mostListed ? ` and ${ids.length - mostListed} more` : "";
  throw new SendctlError(
    "usage",
    `${ids.length} groups are named "${name}": ids ${listed}${more}`,
    { hint: "pass one of the ids" },
  );
}
