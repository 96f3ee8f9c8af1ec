import { exportedGroup, exportedSenderId } from "./exported.ts";
import { decimalId, uuidPattern } from "./manifest.ts";
import { createOccurrences, type Occurrences } from "./occurrences.ts";
import { isPathSafeName } from "./sender-ids.ts";
import { createTakenGroups, type TakenGroup, type TextFile } from "./taken-groups.ts";
import type { ExportedGroup, ExportedSenderId } from "./write.ts";

type Shown = Readonly<Record<string, unknown>>;

/** A record that a manifest cannot express. */
export interface Unexportable {
  readonly kind: "sender-id" | "group";
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/** All records in the form of a manifest, and those that a manifest cannot express. */
interface Export {
  readonly senderIds: readonly ExportedSenderId[];
  readonly groups: Iterable<ExportedGroup>;
  readonly inexpressible: readonly Unexportable[];
}

/** Collects records and stores only the fields that a manifest needs. */
export interface ExportCollector {
  readonly takeSenderId: (record: Shown) => void;
  readonly takeGroup: (record: Shown) => void;
  /** Moves groups to a temporary file if there are many. */
  readonly settle: () => Promise<void>;
  /** Returns the records in reverse order: the oldest first. */
  readonly finish: () => Export;
}

type Keys = Pick<ExportedGroup, "uuid" | "id">;

/** How often each text occurs. */
interface Counts {
  readonly names: Map<string, number>;
  readonly uuids: Map<string, number>;
  readonly ids: Map<string, number>;
}

interface TakenSenderId extends ExportedSenderId {
  readonly key: unknown;
}

/** @param open creates a temporary file for many groups */
export function createExportCollector(open: () => Promise<TextFile>): ExportCollector {
  const senderIds: TakenSenderId[] = [];
  const senderNames = new Map<string, number>();
  const groups = createTakenGroups(open);
  const names = createOccurrences();
  const uuids = createOccurrences();
  let ids: Occurrences | undefined;
  /** Whether a manifest may be unable to contain a group. */
  let mayOmit = false;
  let exact: Counts | undefined;

  /** Returns the key that makes a group unique in addition to its name; undefined if none does. */
  const keysOf = ({ id, uuid, group: { name } }: TakenGroup): Keys | undefined => {
    if (!names.mayBeRepeated(name)) return {};
    if (uuid !== null && !uuids.mayBeRepeated(uuid.toLowerCase())) return { uuid };
    ids ??= idsOf(groups.reversed());
    if (decimalId.test(id) && !ids.mayBeRepeated(id)) return { id };
    // Counting exactly takes memory for each group.
    exact ??= countsOf(groups.reversed());
    if (exact.names.get(name) === 1) return {};
    if (uuid !== null && exact.uuids.get(uuid.toLowerCase()) === 1) return { uuid };
    return decimalId.test(id) && exact.ids.get(id) === 1 ? { id } : undefined;
  };
  /** Returns why a manifest cannot contain a group; undefined if it can. */
  const whyOmitted = (taken: TakenGroup): string | undefined => {
    if (taken.group.name === "" || !isText(taken.group)) {
      return "a manifest cannot contain its text";
    }
    return keysOf(taken) === undefined
      ? "another group has the same name, and neither uuid nor id is unique"
      : undefined;
  };
  const expressible = function* (): Generator<ExportedGroup> {
    for (const taken of groups.reversed()) {
      if (mayOmit && whyOmitted(taken) !== undefined) continue;
      yield { ...keysOf(taken), ...taken.group };
    }
  };

  return {
    takeSenderId: (record) => {
      const senderId = exportedSenderId(record);
      senderIds.push({ ...senderId, key: record["id"] });
      count(senderNames, senderId.name);
    },
    takeGroup: (record) => {
      const group = exportedGroup(record);
      const shownUuid = record["uuid"];
      const isUuid = typeof shownUuid === "string" && uuidPattern.test(shownUuid);
      const taken = { id: String(record["id"]), uuid: isUuid ? shownUuid : null, group };
      groups.add(taken);
      names.add(group.name);
      if (isUuid) uuids.add(shownUuid.toLowerCase());
      mayOmit ||= !isUuid || group.name === "" || !isText(group);
    },
    settle: groups.settle,
    finish: () => {
      const inexpressible: Unexportable[] = [];
      const named: ExportedSenderId[] = [];
      for (const { key: id, ...senderId } of senderIds.toReversed()) {
        const { name } = senderId;
        const why =
          senderNames.get(name) !== 1
            ? "another sender ID has the same name"
            : !isPathSafeName(name) || !isText(senderId)
              ? "a manifest cannot contain its text"
              : undefined;
        if (why === undefined) named.push(senderId);
        else inexpressible.push({ kind: "sender-id", id, name, why });
      }
      mayOmit ||= uuids.hasRepeated();
      for (const taken of mayOmit ? groups.reversed() : []) {
        const why = whyOmitted(taken);
        const { id, group } = taken;
        if (why !== undefined) inexpressible.push({ kind: "group", id, name: group.name, why });
      }
      return { senderIds: named, groups: expressible(), inexpressible };
    },
  };
}

function idsOf(groups: Iterable<TakenGroup>): Occurrences {
  const ids = createOccurrences();
  for (const { id } of groups) ids.add(id);
  return ids;
}

function countsOf(groups: Iterable<TakenGroup>): Counts {
  const counts: Counts = { names: new Map(), uuids: new Map(), ids: new Map() };
  for (const { id, uuid, group } of groups) {
    count(counts.names, group.name);
    if (uuid !== null) count(counts.uuids, uuid.toLowerCase());
    count(counts.ids, id);
  }
  return counts;
}

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
