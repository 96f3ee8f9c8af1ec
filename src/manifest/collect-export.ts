import { exportedGroup, exportedSenderId } from "./exported.ts";
import { decimalId, uuidPattern } from "./manifest.ts";
import { isPathSafeName } from "./sender-ids.ts";
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
  readonly groups: readonly ExportedGroup[];
  readonly inexpressible: readonly Unexportable[];
}

/** Collects records and stores only the fields that a manifest needs. */
export interface ExportCollector {
  readonly takeSenderId: (record: Shown) => void;
  readonly takeGroup: (record: Shown) => void;
  /** Returns the records in reverse order: the oldest first. */
  readonly finish: () => Export;
}

interface TakenSenderId extends ExportedSenderId {
  readonly key: unknown;
}

interface TakenGroup {
  readonly key: unknown;
  readonly uuid: unknown;
  readonly group: ExportedGroup;
}

export function createExportCollector(): ExportCollector {
  const senderIds: TakenSenderId[] = [];
  const groups: TakenGroup[] = [];
  const senderNames = new Map<string, number>();
  const groupNames = new Map<string, number>();
  const uuids = new Map<unknown, number>();
  const ids = new Map<string, number>();

  /** Returns the key that makes a group unique in addition to its name; undefined if none does. */
  const keysOf = ({
    key,
    uuid,
    group,
  }: TakenGroup): Pick<ExportedGroup, "uuid" | "id"> | undefined => {
    if (groupNames.get(group.name) === 1) return {};
    if (typeof uuid === "string" && uuidPattern.test(uuid) && uuids.get(uuid.toLowerCase()) === 1) {
      return { uuid };
    }
    const id = String(key);
    return decimalId.test(id) && ids.get(id) === 1 ? { id } : undefined;
  };

  return {
    takeSenderId: (record) => {
      const senderId = exportedSenderId(record);
      senderIds.push({ ...senderId, key: record["id"] });
      count(senderNames, senderId.name);
    },
    takeGroup: (record) => {
      const { id: key, uuid } = record;
      const group = exportedGroup(record);
      groups.push({ key, uuid, group });
      count(groupNames, group.name);
      count(ids, String(key));
      if (typeof uuid === "string") count(uuids, uuid.toLowerCase());
    },
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
      const exported: ExportedGroup[] = [];
      for (const taken of groups.toReversed()) {
        const { key: id, group } = taken;
        const { name } = group;
        const keys = keysOf(taken);
        const why =
          name === "" || !isText(group)
            ? "a manifest cannot contain its text"
            : keys === undefined
              ? "another group has the same name, and neither uuid nor id is unique"
              : undefined;
        if (why === undefined) exported.push({ ...keys, ...group });
        else inexpressible.push({ kind: "group", id, name, why });
      }
      return { senderIds: named, groups: exported, inexpressible };
    },
  };
}

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
