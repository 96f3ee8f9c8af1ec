import { shownSenderId } from "../../contract/service.ts";
import type { Diagnostic } from "../../core/error.ts";
import { type RecordKind, nouns } from "../../contract/resources.ts";
import {
  type DesiredGroup,
  type DesiredSenderId,
  type Existing,
  groupKey,
  idText,
  isNamed,
  nameOf,
} from "../manifest.ts";
import { firstOf } from "../../core/text.ts";
import { comparisonKey, sameForPeople } from "../../core/names.ts";

/** A record of a manifest, with its keys. Sender IDs have only a name. */
type Desired = Pick<DesiredGroup, "id" | "uuid" | "name" | "location">;

/** Why a plan is impossible. */
export interface Problem {
  /** Whether a new name is the same for people as an existing one. */
  readonly isConflict: boolean;
  readonly diagnostic: Diagnostic;
}

/**
 * Matches the records of a manifest with existing ones: by uuid or id if the manifest has one,
 * otherwise by a name that must be unique among the other records.
 */
export function matchRecords<Item extends Desired>(kind: RecordKind, items: readonly Item[]) {
  const byId = new Map<string, Item>();
  const byUuid = new Map<string, Item>();
  const byName = new Map<string, Item>();
  for (const item of items) {
    if (item.id !== undefined) byId.set(item.id, item);
    else if (item.uuid !== undefined) byUuid.set(item.uuid, item);
    else byName.set(item.name, item);
  }
  const found = new Map<Item, Existing[]>();
  const forms = new Set([...byName.keys()].map(comparisonKey));
  /** Records whose names are the same for people as the manifest's, by the form of their names. */
  const similar = new Map<string, Existing>();
  const foundFor = (item: Item): Existing | undefined => found.get(item)?.[0];

  return {
    /** Adds an existing record. Returns false if the manifest does not name it. */
    take: (record: Existing): boolean => {
      // Throws for a group without a valid id before anything is sent.
      if (kind === "group") groupKey(record);
      const id = idText(record) ?? "";
      const keyed = byId.get(id) ?? byUuid.get(uuidOf(record));
      if (keyed === undefined && !isNamed(record)) return false;
      const name = nameOf(record);
      const item = keyed ?? byName.get(name);
      if (item !== undefined) {
        found.set(item, [...(found.get(item) ?? []), record]);
        return true;
      }
      const form = comparisonKey(name);
      if (forms.has(form)) similar.set(form, record);
      return false;
    },
    found: foundFor,
    problems: (): readonly Problem[] =>
      items.flatMap((item) => {
        const message = problemOf(kind, item, found.get(item) ?? []);
        if (message !== undefined) {
          return [{ isConflict: false, diagnostic: { ...item.location, message } }];
        }
        const record =
          foundFor(item) === undefined ? similar.get(comparisonKey(item.name)) : undefined;
        return record === undefined ? [] : [similarProblem(kind, item, record)];
      }),
  };
}

/** Each apply would create another record in a service that rewrites names. */
function similarProblem(kind: RecordKind, { name, location }: Desired, record: Existing): Problem {
  const { message, hint } = sameForPeople(nouns[kind], name, nameOf(record), idText(record));
  const diagnostic = { ...location, message: `${message}; ${hint}, or add both to the manifest` };
  return { isConflict: true, diagnostic };
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
    const isOther = uuid !== undefined && uuidOf(found[0]!) !== uuid;
    return found.length > 1 || isOther ? `${key} belong to different groups` : undefined;
  }
  if (found.length <= 1) return undefined;
  const candidates = found.map(
    (record) => `id ${idText(record)}${kind === "group" ? ` (uuid ${uuidOf(record)})` : ""}`,
  );
  const advice = kind === "group" ? "add the uuid or id of one" : "delete all but one";
  return `${found.length} ${nouns[kind]}s are named "${name}"; ${advice}: ${firstOf(candidates)}`;
}

function uuidOf(record: Existing): string {
  return String(record["uuid"]).toLowerCase();
}

/** Collects the existing sender IDs that the groups of a manifest name, by name or id. */
export function senderIdReferences(
  groups: readonly DesiredGroup[],
  senderIds: readonly DesiredSenderId[],
) {
  const wanted = new Set(senderIds.map(({ name }) => name));
  const named = new Set(groups.flatMap(({ sender_id }) => sender_id ?? []));
  /** Ids of the existing sender IDs, by their names. */
  const ids = new Map<string, string>();
  /** Names of the existing sender IDs, by what the groups call them. A name comes before an id. */
  const existing = new Map<string, string>();
  const messageFor = (sender: string, prune: boolean): string | undefined => {
    const name = existing.get(sender);
    if (wanted.has(sender) || wanted.has(name ?? "")) return undefined;
    if (name === undefined) {
      return `unknown sender ID "${sender}"; add it to sender_ids, or use an existing name or id`;
    }
    return prune
      ? `--prune would delete the sender ID "${sender}"; add it to sender_ids`
      : undefined;
  };
  return {
    areNeeded: named.size > 0,
    take: (record: Existing): void => {
      if (!isNamed(record)) return;
      const [name, id] = [nameOf(record), idText(record)];
      if (id !== undefined && named.has(name)) ids.set(name, id);
      if (named.has(name)) existing.set(name, name);
      if (id !== undefined && named.has(id) && !existing.has(id)) existing.set(id, name);
    },
    /** Returns whether a group shows the wanted sender ID: its name, or its id. */
    isShownAs: (shown: unknown, wanted: string | null): boolean => {
      if (wanted === null || shown === null) return wanted === shown;
      const text = shownSenderId({ sender_id: shown });
      const names = [wanted, existing.get(wanted), ids.get(existing.get(wanted) ?? wanted)];
      return text != null && names.includes(text);
    },
    /** Rejects a sender_id unless it is in the manifest, or exists and is not deleted. */
    problems: (prune: boolean): readonly Problem[] =>
      groups.flatMap(({ sender_id, senderIdLocation, location }) => {
        if (typeof sender_id !== "string") return [];
        const message = messageFor(sender_id, prune);
        if (message === undefined) return [];
        return [{ isConflict: false, diagnostic: { ...(senderIdLocation ?? location), message } }];
      }),
  };
}
