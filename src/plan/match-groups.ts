import type { DesiredGroup, Diagnostic } from "../manifest/manifest.ts";
import type { Existing } from "./group-changes.ts";
import type { Recall } from "./memory.ts";
import { groupKey, nameOf } from "./record-keys.ts";

/** So many candidates are named where a name is not enough. */
const maxCandidates = 5;

/** Which group of a manifest is which that exists. */
export interface GroupMatching {
  /** False where the manifest does not speak of it. */
  readonly take: (record: Existing) => boolean;
  readonly found: (group: DesiredGroup) => Existing | undefined;
  readonly diagnostics: () => readonly Diagnostic[];
}

/** By uuid or id where one is given, else by name, if that is unique among those that are left. */
export function matchGroups(groups: readonly DesiredGroup[], recall: Recall): GroupMatching {
  const byId = new Map<string, DesiredGroup>();
  const byUuid = new Map<string, DesiredGroup>();
  const byName = new Map<string, DesiredGroup>();
  for (const group of groups) {
    if (group.id !== undefined) byId.set(group.id, group);
    if (group.uuid !== undefined) byUuid.set(group.uuid, group);
    if (group.id === undefined && group.uuid === undefined) byName.set(group.name, group);
  }
  const found = new Map<DesiredGroup, Existing[]>();
  /** The names of groups that the manifest gives with outer white space, without it. */
  const trimmed = new Map([...byName].map(([name, group]) => [name.trim(), group]));
  const lookalikes = new Map<DesiredGroup, Existing>();
  /** Groups that the service calls otherwise than they were sent. */
  const aliased = new Map<DesiredGroup, Existing>();
  const add = (group: DesiredGroup, record: Existing): void => {
    const records = found.get(group);
    if (records === undefined) found.set(group, [record]);
    else if (!records.includes(record)) records.push(record);
  };
  return {
    take: (record) => {
      const claims = [byId.get(groupKey(record)), byUuid.get(uuidOf(record))];
      const claimed = claims.filter((group) => group !== undefined);
      const name = nameOf(record);
      const sentName = (): string => recall.sentName("group", groupKey(record), name) ?? name;
      const named = claimed.length > 0 ? undefined : byName.get(name);
      const alias = claimed.length > 0 || named !== undefined ? undefined : byName.get(sentName());
      if (alias !== undefined) aliased.set(alias, record);
      const similar = trimmed.get(name);
      if (similar !== undefined) lookalikes.set(similar, record);
      const matches = named === undefined ? claimed : [named];
      for (const group of matches) add(group, record);
      return matches.length > 0 || alias !== undefined;
    },
    found: (group) => found.get(group)?.[0] ?? aliased.get(group),
    diagnostics: () =>
      groups.flatMap((group) => {
        const message = faultOf(
          group,
          found.get(group) ?? [],
          aliased.has(group) ? undefined : lookalikes.get(group),
        );
        return message === undefined ? [] : [{ ...group.location, message }];
      }),
  };
}

function faultOf(
  { id, uuid, name }: DesiredGroup,
  found: readonly Existing[],
  lookalike: Existing | undefined,
): string | undefined {
  if (id !== undefined || uuid !== undefined) {
    const given = [id === undefined ? [] : `id ${id}`, uuid === undefined ? [] : `uuid ${uuid}`];
    const key = given.flat().join(" and ");
    if (found.length === 0) {
      return `there is no group of ${key}: the service gives these, so leave them out of a new group`;
    }
    const isBoth =
      (id === undefined || groupKey(found[0]!) === id) &&
      (uuid === undefined || uuidOf(found[0]!) === uuid);
    return found.length > 1 || !isBoth ? `${key} belong to different groups` : undefined;
  }
  if (found.length === 0 && lookalike !== undefined) {
    // A service that trims names would be sent a new group each time.
    return `there is no group "${name}", and there is "${nameOf(lookalike)}" (id ${groupKey(lookalike)}): give its id, or remove the outer white space`;
  }
  if (found.length <= 1) return undefined;
  const named = found
    .slice(0, maxCandidates)
    .map((record) => `id ${groupKey(record)} (uuid ${String(record["uuid"])})`);
  const more = found.length > maxCandidates ? ` and ${found.length - maxCandidates} more` : "";
  return `${found.length} groups are called "${name}": give the uuid or id of one: ${named.join(", ")}${more}`;
}

function uuidOf(record: Existing): string {
  return String(record["uuid"]).toLowerCase();
}
