import { SendctlError } from "../../core/error.ts";
import type { RecordIdentity } from "../../contract/service.ts";
import { kindOfReply, refusalMessage } from "../../service/refusals.ts";
import { type List, eachRecord } from "../../service/read-list.ts";

/** The key of a record, and what the list showed of a group that was found by its name. */
export interface FoundKey {
  readonly key: string;
  readonly expected?: RecordIdentity | undefined;
}

/** Marks a key as a name even if it looks like an id: `name:12`. */
const namePrefix = "name:";

/** Maximum number of ids listed in an error. */
const maxListed = 20;

/** Returns the group name that a key refers to. */
function nameIn(key: string): string {
  return key.startsWith(namePrefix) ? key.slice(namePrefix.length) : key;
}

/**
 * Returns the only group with a name. Reads all pages, because the service has no search and names need not be unique.
 *
 * @param key the name, or `name:` and the name
 * @throws SendctlError "not_found"; "usage" if several groups have the name, and in a dry run
 */
export async function groupNamed(key: string, list: List, isDryRun: boolean): Promise<FoundKey> {
  const groupsOf = await groupsNamed([key], list, isDryRun);
  return onlyGroup(key, groupsOf.get(key)!);
}

/**
 * Returns all groups with each name, by the key given for it.
 *
 * @param list the operation; the whole list is read once for all names
 * @throws SendctlError with the kind of the refusal if the service refuses to list groups
 */
export async function groupsNamed(
  keys: readonly string[],
  list: List,
  isDryRun: boolean,
): Promise<ReadonlyMap<string, readonly RecordIdentity[]>> {
  if (isDryRun) {
    throw new SendctlError(
      "usage",
      `--dry-run cannot look up the group named "${nameIn(keys[0]!)}"`,
      {
        hint: "pass the id or the uuid of the group",
      },
    );
  }
  const groupsByName = new Map(keys.map((key) => [nameIn(key), [] as RecordIdentity[]]));
  // The embedded engine looks up one name; other services list every group.
  const name = keys.length === 1 ? nameIn(keys[0]!) : undefined;
  const listNamed: List = name === undefined ? list : (query) => list({ ...query, name });
  const refused = await eachRecord(listNamed, ({ id, uuid, name, created_at }) => {
    if (typeof name === "string") groupsByName.get(name)?.push({ id, uuid, name, created_at });
  });
  if (refused !== undefined) {
    const kind = kindOfReply(refused) ?? "unexpected_response";
    throw new SendctlError(kind, refusalMessage(refused), { httpStatus: refused.status });
  }
  return new Map(keys.map((key) => [key, groupsByName.get(nameIn(key))!]));
}

/** Returns the only group with a name. @throws SendctlError "not_found" for none, "usage" for several */
export function onlyGroup(key: string, groups: readonly RecordIdentity[]): FoundKey {
  const name = nameIn(key);
  const ids = groups.map(({ id }) => String(id));
  if (ids.length === 1) return { key: ids[0]!, expected: groups[0] };
  if (ids.length === 0) {
    throw new SendctlError("not_found", `no group is named "${name}"`, {
      hint: "sendctl group list --all",
    });
  }
  const listed = ids.slice(0, maxListed).join(", ");
  const more = ids.length > maxListed ? ` and ${ids.length - maxListed} more` : "";
  throw new SendctlError(
    "usage",
    `${ids.length} groups are named "${name}": ids ${listed}${more}`,
    { hint: "pass one of the ids" },
  );
}
