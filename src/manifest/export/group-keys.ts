import { decimalId } from "../manifest.ts";
import { createOccurrences, type Occurrences } from "./occurrences.ts";
import type { Identity } from "./taken-groups.ts";

/** What makes a group unique in a manifest. */
export const groupKeys = { undecided: 0, name: 1, uuid: 2, id: 3, none: 4 } as const;

/** The key of each group, by index in the order in which they were taken. */
export type GroupKeys = Uint8Array;

/** Decides by hashes. The keys of groups with neither a unique name nor a unique uuid remain undecided. */
export function quickKeys(count: number, names: Occurrences, uuids: Occurrences): GroupKeys {
  return new Uint8Array(count).map((_, index) => {
    if (names.isUnique(index)) return groupKeys.name;
    return uuids.isUnique(index) ? groupKeys.uuid : groupKeys.undecided;
  });
}

/**
 * Decides the keys that are undecided. Counting texts exactly takes memory for each group, so it is done only if hashes
 * of ids are not enough.
 *
 * @param identities returns those of all groups, the last one first
 */
export function decideKeys(keys: GroupKeys, identities: () => Iterable<Identity>): void {
  let ids: Occurrences | undefined;
  let counts: Counts | undefined;
  const keyOf = (identity: Identity, position: number): number => {
    ids ??= idsOf(identities());
    const { id, uuid, name } = identity;
    if (decimalId.test(id) && ids.isUnique(position)) return groupKeys.id;
    counts ??= countsOf(identities());
    if (counts.names.get(name) === 1) return groupKeys.name;
    if (uuid !== undefined && counts.uuids.get(uuid.toLowerCase()) === 1) return groupKeys.uuid;
    return decimalId.test(id) && counts.ids.get(id) === 1 ? groupKeys.id : groupKeys.none;
  };
  let position = 0;
  for (const identity of identities()) {
    const index = keys.length - 1 - position;
    if (keys[index] === groupKeys.undecided) keys[index] = keyOf(identity, position);
    position += 1;
  }
}

/** How often each text occurs. */
interface Counts {
  readonly names: Map<string, number>;
  readonly uuids: Map<string, number>;
  readonly ids: Map<string, number>;
}

function idsOf(identities: Iterable<Identity>): Occurrences {
  const ids = createOccurrences();
  for (const { id } of identities) ids.add(id);
  return ids;
}

function countsOf(identities: Iterable<Identity>): Counts {
  const counts: Counts = { names: new Map(), uuids: new Map(), ids: new Map() };
  for (const { id, uuid, name } of identities) {
    count(counts.names, name);
    if (uuid !== undefined) count(counts.uuids, uuid.toLowerCase());
    count(counts.ids, id);
  }
  return counts;
}

/** Counts one more occurrence of a text. */
export function count(counts: Map<string, number>, text: string): void {
  counts.set(text, (counts.get(text) ?? 0) + 1);
}
