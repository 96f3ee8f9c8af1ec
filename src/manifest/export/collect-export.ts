import { exportedGroup, exportedSenderId } from "./exported.ts";
import { count, decideKeys, groupKeys, quickKeys, type GroupKeys } from "./group-keys.ts";
import { keyedText } from "./keyed-text.ts";
import { uuidPattern } from "../manifest.ts";
import { createOccurrences } from "./occurrences.ts";
import { isPathSafeName } from "../sender-ids.ts";
import { createTakenGroups, type Identity } from "./taken-groups.ts";
import type { ExportedSenderId, GroupSection } from "../write.ts";

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
  /** Texts of groups, one or more in each. */
  readonly groups: Iterable<string>;
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

/** @param section writes the groups */
export function createExportCollector(section: GroupSection): ExportCollector {
  const senderIds: TakenSenderId[] = [];
  const senderNames = new Map<string, number>();
  const groups = createTakenGroups();
  const names = createOccurrences();
  const uuids = createOccurrences();
  /** The indexes of groups with texts that a manifest cannot contain. */
  const unwritable = new Set<number>();
  let taken = 0;

  const identities = function* (): Generator<Identity> {
    for (const batch of groups.reversed()) yield* batch.identities();
  };
  /** Returns the groups that a manifest cannot contain. */
  const omit = (keys: GroupKeys): Unexportable[] => {
    const omitted: Unexportable[] = [];
    let index = keys.length;
    for (const { id, name } of identities()) {
      index -= 1;
      const isUnwritable = unwritable.has(index);
      if (isUnwritable) keys[index] = groupKeys.none;
      if (keys[index] !== groupKeys.none) continue;
      const why = isUnwritable
        ? whyUnwritable
        : "another group has the same name, and neither uuid nor id is unique";
      omitted.push({ kind: "group", id, name, why });
    }
    return omitted;
  };
  const texts = function* (keys: GroupKeys): Generator<string> {
    let last = keys.length - 1;
    for (const batch of groups.reversed()) {
      yield keyedText(batch, last, keys, section);
      last -= batch.count;
    }
  };

  return {
    takeSenderId: (record) => {
      const senderId = exportedSenderId(record);
      senderIds.push({ ...senderId, key: record["id"] });
      count(senderNames, senderId.name);
    },
    takeGroup: (record) => {
      const shownUuid = record["uuid"];
      const isUuid = typeof shownUuid === "string" && uuidPattern.test(shownUuid);
      const uuid = isUuid ? shownUuid : undefined;
      const group = exportedGroup(record, uuid);
      const { name } = group;
      names.add(name);
      uuids.add(uuid?.toLowerCase());
      if (name === "" || !isText(group)) unwritable.add(taken);
      taken += 1;
      groups.add(section.item(group), { id: String(record["id"]), uuid, name });
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
              ? whyUnwritable
              : undefined;
        if (why === undefined) named.push(senderId);
        else inexpressible.push({ kind: "sender-id", id, name, why });
      }
      const keys = quickKeys(taken, names, uuids);
      const hasUndecided = keys.includes(groupKeys.undecided);
      if (hasUndecided) decideKeys(keys, identities);
      if (hasUndecided || unwritable.size > 0) {
        for (const group of omit(keys)) inexpressible.push(group);
      }
      return { senderIds: named, groups: texts(keys), inexpressible };
    },
  };
}

const whyUnwritable = "a manifest cannot contain its text";

/** Returns whether UTF-8 can encode all texts of a record. */
function isText(record: object): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.isWellFormed());
}
