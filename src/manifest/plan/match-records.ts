import type { Diagnostic } from "../../core/error.ts";
import {
  type DesiredGroup,
  type DesiredSenderId,
  type Existing,
  type RecordKind,
  decimalId,
  groupKey,
  idText,
  nameOf,
  nouns,
  purposeOf,
} from "../manifest.ts";
import type { Recall } from "./memory.ts";

/** A record of a manifest, with its keys. Sender IDs have only a name. */
type Desired = Pick<DesiredGroup, "id" | "uuid" | "name" | "location">;

/** Why a plan is impossible. */
export interface Problem {
  /** Whether a new name differs from an existing one only in case. */
  readonly isConflict: boolean;
  readonly diagnostic: Diagnostic;
}

/** Maximum number of candidates in the message for an ambiguous name. */
const maxCandidates = 5;

/**
 * Matches the records of a manifest with existing ones: by uuid or id if the manifest has one, otherwise by a name that
 * must be unique among the other records.
 */
export function matchRecords<Item extends Desired>(
  kind: RecordKind,
  items: readonly Item[],
  recall: Recall,
) {
  const byId = new Map<string, Item>();
  const byUuid = new Map<string, Item>();
  const byName = new Map<string, Item>();
  for (const item of items) {
    if (item.id !== undefined) byId.set(item.id, item);
    if (item.uuid !== undefined) byUuid.set(item.uuid, item);
    if (item.id === undefined && item.uuid === undefined) byName.set(item.name, item);
  }
  const found = new Map<Item, Existing[]>();
  /** Records that the service stored under another name than the one that was sent. */
  const aliased = new Map<Item, Existing>();
  const foldedNames = new Set([...byName.keys()].map(fold));
  /** Records that a service may take for those of the manifest, by their names in lower case. */
  const similar = new Map<string, Existing>();

  const named = (record: Existing): readonly Item[] => {
    const keyed = [byId.get(idText(record) ?? ""), byUuid.get(uuidOf(record))];
    const isKeyed = keyed.some((item) => item !== undefined);
    const claims = isKeyed ? new Set(keyed) : [byName.get(nameOf(record))];
    return [...claims].filter((item) => item !== undefined);
  };
  const alias = (record: Existing): Item | undefined => {
    const sent = recall.sentName(kind, String(record["id"]), nameOf(record));
    return sent === undefined ? undefined : byName.get(sent);
  };
  const foundFor = (item: Item): Existing | undefined => found.get(item)?.[0] ?? aliased.get(item);

  return {
    /** Returns the records of the manifest that an existing one matches: several if their keys contradict each other. */
    matches: (record: Existing): readonly Item[] =>
      [...named(record), alias(record)].filter((item) => item !== undefined),
    /** Adds an existing record. Returns false if the manifest does not name it. */
    take: (record: Existing): boolean => {
      // Throws for a group without a valid id before anything is sent.
      if (kind === "group") groupKey(record);
      const direct = named(record);
      for (const item of direct) found.set(item, [...(found.get(item) ?? []), record]);
      if (direct.length > 0) return true;
      const indirect = alias(record);
      if (indirect !== undefined) aliased.set(indirect, record);
      const name = nameOf(record).toLowerCase();
      if (indirect === undefined && foldedNames.has(name)) similar.set(name, record);
      return indirect !== undefined;
    },
    found: foundFor,
    problems: (): readonly Problem[] =>
      items.flatMap((item) => {
        const message = problemOf(kind, item, found.get(item) ?? []);
        if (message !== undefined) {
          return [{ isConflict: false, diagnostic: { ...item.location, message } }];
        }
        const record = foundFor(item) === undefined ? similar.get(fold(item.name)) : undefined;
        return record === undefined ? [] : [similarProblem(kind, item, record)];
      }),
  };
}

/** Returns a name as a service may store it: trimmed, and in one case. */
export function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** Each apply would create another record in a service that stores names trimmed, or in one case. */
function similarProblem(kind: RecordKind, { name, location }: Desired, record: Existing): Problem {
  const existing = nameOf(record);
  const isConflict = existing !== name.trim();
  const [difference, advice] = isConflict
    ? ["case", "use that spelling, or add both to the manifest"]
    : ["outer white space", "remove it"];
  const message = `the name of the new ${nouns[kind]} "${name}" differs from the existing "${existing}" (id ${idText(record)}) only in ${difference}; ${advice}`;
  return { isConflict, diagnostic: { ...location, message } };
}

function problemOf(
  kind: RecordKind,
  { id, uuid, name }: Desired,
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
    .map((record) => `id ${idText(record)}${kind === "group" ? ` (uuid ${uuidOf(record)})` : ""}`);
  const more = found.length > maxCandidates ? ` and ${found.length - maxCandidates} more` : "";
  const advice = kind === "group" ? "add the uuid or id of one" : "delete all but one";
  return `${found.length} ${nouns[kind]}s are named "${name}"; ${advice}: ${candidates.join(", ")}${more}`;
}

function uuidOf(record: Existing): string {
  return String(record["uuid"]).toLowerCase();
}

/** Whether sender IDs that are missing from the manifest are deleted, and those with another purpose replaced. */
type ReferenceOptions = Readonly<Record<"prune" | "replace", boolean>>;

/** Collects the existing sender IDs that the groups of a manifest name, by name or id. */
export function senderIdReferences(
  groups: readonly DesiredGroup[],
  senderIds: readonly DesiredSenderId[],
) {
  const wanted = new Map(senderIds.map((senderId) => [senderId.name, senderId]));
  const named = new Set(groups.flatMap(({ sender_id }) => sender_id ?? []));
  const existing = new Set<string>();
  const byId = new Map<string, Existing>();

  const messageFor = (sender: string, { prune, replace }: ReferenceOptions) => {
    if (wanted.has(sender)) return undefined;
    const pruned = `--prune would delete the sender ID "${sender}"; add it to sender_ids`;
    if (existing.has(sender)) return prune ? pruned : undefined;
    const isId = decimalId.test(sender);
    const record = isId ? byId.get(sender) : undefined;
    if (record === undefined) {
      const keys = isId ? "name or id" : "name";
      return `unknown sender ID "${sender}"; add it to sender_ids, or use an existing ${keys}`;
    }
    const desired = wanted.get(nameOf(record));
    if (desired === undefined) return prune ? pruned : undefined;
    return replace && desired.purpose !== purposeOf(record)
      ? `sender_id "${sender}" is the id of a sender ID that --replace would replace; use its name`
      : undefined;
  };

  return {
    areNeeded: named.size > 0,
    take: (record: Existing): void => {
      const [name, id] = [nameOf(record), String(record["id"])];
      if (named.has(name)) existing.add(name);
      if (named.has(id)) byId.set(id, record);
    },
    /** Rejects a sender_id unless it is in the manifest, or exists and is not deleted. */
    problems: (options: ReferenceOptions): readonly Problem[] =>
      groups.flatMap(({ sender_id, senderIdLocation, location }) => {
        if (typeof sender_id !== "string") return [];
        const message = messageFor(sender_id, options);
        if (message === undefined) return [];
        return [{ isConflict: false, diagnostic: { ...(senderIdLocation ?? location), message } }];
      }),
  };
}
