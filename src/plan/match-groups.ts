import type { Diagnostic } from "../contract/error.ts";
import type { DesiredGroup } from "../manifest/manifest.ts";
import type { Existing } from "./group-changes.ts";
import type { Recall } from "./memory.ts";
import { groupKey, nameOf } from "./record-keys.ts";

/** Maximum number of candidates in the message for an ambiguous name. */
const maxCandidates = 5;

/** Matches the groups of a manifest with existing ones. */
export interface GroupMatching {
  /** Returns the groups of the manifest that an existing one matches: several if their keys contradict each other. */
  readonly matches: (record: Existing) => readonly DesiredGroup[];
  /** Adds an existing group. Returns false if the manifest does not name it. */
  readonly take: (record: Existing) => boolean;
  readonly found: (group: DesiredGroup) => Existing | undefined;
  readonly diagnostics: () => readonly Diagnostic[];
}

/** Matches groups by uuid or id if the manifest has one, otherwise by a name that must be unique among the rest. */
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
  /** Groups that the service stored under another name than the one that was sent. */
  const aliased = new Map<DesiredGroup, Existing>();
  const add = (group: DesiredGroup, record: Existing): void => {
    const records = found.get(group);
    if (records === undefined) found.set(group, [record]);
    else if (!records.includes(record)) records.push(record);
  };
  const keyed = (record: Existing): DesiredGroup[] =>
    [byId.get(groupKey(record)), byUuid.get(uuidOf(record))].filter((group) => group !== undefined);
  const named = (record: Existing): DesiredGroup | undefined => byName.get(nameOf(record));
  const alias = (record: Existing): DesiredGroup | undefined => {
    const sent = recall.sentName("group", groupKey(record), nameOf(record));
    return sent === undefined ? undefined : byName.get(sent);
  };
  const matches = (record: Existing): readonly DesiredGroup[] => {
    const claimed = keyed(record);
    return claimed.length > 0 ? claimed : [named(record) ?? alias(record) ?? []].flat();
  };
  return {
    matches,
    take: (record) => {
      const matching = matches(record);
      for (const group of matching) {
        const isAlias = keyed(record).length === 0 && named(record) === undefined;
        if (isAlias) aliased.set(group, record);
        else add(group, record);
      }
      return matching.length > 0;
    },
    found: (group) => found.get(group)?.[0] ?? aliased.get(group),
    diagnostics: () =>
      groups.flatMap((group) => {
        const message = problemOf(group, found.get(group) ?? []);
        return message === undefined ? [] : [{ ...group.location, message }];
      }),
  };
}

function problemOf(
  { id, uuid, name }: DesiredGroup,
  found: readonly Existing[],
): string | undefined {
  if (id !== undefined || uuid !== undefined) {
    const given = [id === undefined ? [] : `id ${id}`, uuid === undefined ? [] : `uuid ${uuid}`];
    const key = given.flat().join(" and ");
    if (found.length === 0) {
      return `no group has ${key}; the service assigns ids and uuids, so omit them for a new group`;
    }
    const isBoth =
      (id === undefined || groupKey(found[0]!) === id) &&
      (uuid === undefined || uuidOf(found[0]!) === uuid);
    return found.length > 1 || !isBoth ? `${key} belong to different groups` : undefined;
  }
  if (found.length <= 1) return undefined;
  const candidates = found
    .slice(0, maxCandidates)
    .map((record) => `id ${groupKey(record)} (uuid ${String(record["uuid"])})`);
  const more = found.length > maxCandidates ? ` and ${found.length - maxCandidates} more` : "";
  return `${found.length} groups are named "${name}"; add the uuid or id of one: ${candidates.join(", ")}${more}`;
}

function uuidOf(record: Existing): string {
  return String(record["uuid"]).toLowerCase();
}
