import type { Reply, Service } from "../../contract/service.ts";
import type { List } from "../../service/pages.ts";
import { groupsNamed, onlyGroup } from "../records/group-names.ts";

/**
 * Returns the only group with a name, or why it cannot be fetched; undefined if no group has that name. Another client
 * may create one between this call and a create.
 *
 * @throws SendctlError "usage" if several groups have the name
 */
export async function existingGroup(
  service: Service,
  list: List,
  name: string,
): Promise<Reply | undefined> {
  // The prefix keeps a name that looks like an id, or that has the prefix itself, a name.
  const key = `name:${name}`;
  const groups = (await groupsNamed([key], list, false)).get(key)!;
  if (groups.length === 0) return undefined;
  const { key: id, expected } = onlyGroup(key, groups);
  return service["group.fetch"]({ path: { id }, expected });
}
