import type { Diagnostic, Location } from "../../core/error.ts";
import type { Existing } from "./group-changes.ts";
import type { Recall } from "./memory.ts";
import { groupKey, idText, nameOf, nouns, type RecordKind } from "./record-keys.ts";

/** A record of a manifest, with its keys. */
interface Desired {
  readonly id?: string;
  readonly uuid?: string;
  readonly name: string;
  readonly location: Location;
}

/** Why a plan is impossible. */
export interface Problem {
  /** Whether a new name differs from an existing one only in case. */
  readonly isConflict: boolean;
  readonly diagnostic: Diagnostic;
}

/** Matches the records of a manifest with existing ones. */
export interface Matching<Item> {
  /** Returns the records of the manifest that an existing one matches: several if their keys contradict each other. */
  readonly matches: (record: Existing) => readonly Item[];
  /** Adds an existing record. Returns false if the manifest does not name it. */
  readonly take: (record: Existing) => boolean;
  readonly found: (item: Item) => Existing | undefined;
  readonly problems: () => readonly Problem[];
}

/** Maximum number of candidates in the message for an ambiguous name. */
const maxCandidates = 5;

/** Matches records by uuid or id if the manifest has one, otherwise by a name that must be unique among the rest. */
export function matchRecords<Item extends Desired>(
  kind: RecordKind,
  items: readonly Item[],
  recall: Recall,
): Matching<Item> {
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
  const lookalikes = new Map<string, Existing>();

  const named = (record: Existing): readonly Item[] => {
    const keyed = [byId.get(idText(record) ?? ""), byUuid.get(uuidOf(record))];
    const claimed = new Set(keyed.filter((item) => item !== undefined));
    return claimed.size > 0 ? [...claimed] : listOf(byName.get(nameOf(record)));
  };
  const alias = (record: Existing): readonly Item[] => {
    const sent = recall.sentName(kind, String(record["id"]), nameOf(record));
    return sent === undefined ? [] : listOf(byName.get(sent));
  };
  const foundFor = (item: Item): Existing | undefined => found.get(item)?.[0] ?? aliased.get(item);

  return {
    matches: (record) => [...named(record), ...alias(record)],
    take: (record) => {
      // Throws for a group without a valid id before anything is sent.
      if (kind === "group") groupKey(record);
      const direct = named(record);
      for (const item of direct) found.set(item, [...(found.get(item) ?? []), record]);
      if (direct.length > 0) return true;
      const indirect = alias(record);
      for (const item of indirect) aliased.set(item, record);
      const name = nameOf(record).toLowerCase();
      if (indirect.length === 0 && foldedNames.has(name)) lookalikes.set(name, record);
      return indirect.length > 0;
    },
    found: foundFor,
    problems: () =>
      items.flatMap((item) => {
        const message = problemOf(kind, item, found.get(item) ?? []);
        const lookalike = foundFor(item) === undefined && lookalikes.get(fold(item.name));
        if (message !== undefined) {
          return [{ isConflict: false, diagnostic: { ...item.location, message } }];
        }
        return lookalike ? [similarProblem(kind, item, lookalike)] : [];
      }),
  };
}

function listOf<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
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
