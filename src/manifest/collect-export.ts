import { exportedGroup, exportedSenderId } from "./exported.ts";
import { decimalId, uuidPattern } from "./manifest.ts";
import { isPathSafeName } from "./sender-ids.ts";
import type { ExportedGroup, ExportedSenderId } from "./write.ts";

type Shown = Readonly<Record<string, unknown>>;

/** A record that no manifest can express. */
export interface Unexportable {
  readonly kind: "sender-id" | "group";
  readonly id: unknown;
  readonly name: string;
  readonly why: string;
}

/** What a manifest says of all records, and what it cannot say. */
interface Export {
  readonly senderIds: readonly ExportedSenderId[];
  readonly groups: readonly ExportedGroup[];
  readonly inexpressible: readonly Unexportable[];
}

/** Takes records, and keeps of each what a manifest says of it. */
export interface ExportCollector {
  readonly takeSenderId: (record: Shown) => void;
  readonly takeGroup: (record: Shown) => void;
  /** Returns all of them, in the reverse order: the oldest first. */
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

  /** What a manifest has to say beside the name, for that to be one group; undefined where nothing does. */
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
            ? "other sender IDs have the same name"
            : !isPathSafeName(name) || !isText(senderId)
              ? "a manifest cannot hold its text"
              : undefined;
        if (why === undefined) named.push(senderId);
        else inexpressible.push({ kind: "sender-id", id, name, why });
      }
      const kept: ExportedGroup[] = [];
      for (const taken of groups.toReversed()) {
        const { key: id, group } = taken;
        const { name } = group;
        const keys = keysOf(taken);
        const why =
          name === "" || !isText(group)
            ? "a manifest cannot hold its text"
            : keys === undefined
              ? "other groups have the same name, and it has no uuid or id of its own"
              : undefined;
        if (why === undefined) kept.push({ ...keys, ...group });
        else inexpressible.push({ kind: "group", id, name, why });
      }
      return { senderIds: named, groups: kept, inexpressible };
    },
  };
}

/** False where a file of UTF-8 cannot hold a text. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
