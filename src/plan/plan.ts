import type {
  DesiredGroup,
  DesiredSenderId,
  Fault,
  Manifest,
  Place,
} from "../manifest/manifest.ts";
import { matchGroups } from "./match-groups.ts";
import { changesOf, type Change, type Existing } from "./group-changes.ts";
import { nameOf, pathName, purposeOf } from "./record-keys.ts";

/** What has to happen to a sender ID. It can't be updated: specification, part 4. */
export type SenderIdStep =
  | { readonly action: "create"; readonly kind: "sender-id"; readonly desired: DesiredSenderId }
  | {
      readonly action: "replace";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      /** Groups of the manifest that name it, and lose it for a moment; others lose it for good. */
      readonly usedBy: readonly string[];
    }
  | { readonly action: "keep"; readonly kind: "sender-id"; readonly desired: DesiredSenderId }
  | { readonly action: "delete"; readonly kind: "sender-id"; readonly existing: Existing };

/** What has to happen to a group. */
export type GroupStep =
  | { readonly action: "create"; readonly kind: "group"; readonly desired: DesiredGroup }
  | {
      readonly action: "update";
      readonly kind: "group";
      readonly desired: DesiredGroup;
      readonly existing: Existing;
      readonly changes: readonly Change[];
    }
  | {
      readonly action: "keep";
      readonly kind: "group";
      readonly desired: DesiredGroup;
      readonly existing: Existing;
    }
  | { readonly action: "delete"; readonly kind: "group"; readonly existing: Existing };

export type Step = SenderIdStep | GroupStep;

/** From what is there to what is wanted, in the order in which it is done. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Records that the manifest does not name, and that stay. */
  readonly notManaged: { readonly senderIds: number; readonly groups: number };
  /** Groups that name a sender ID which is neither compared nor sent. */
  readonly notCompared: number;
}

export interface PlanOptions {
  /** Delete what the manifest does not name, in the sections that it has. */
  readonly prune: boolean;
  /** Delete and create anew the sender IDs that have another purpose. */
  readonly replace: boolean;
  /** Send sender_id for every group that names one. */
  readonly resendSenderId: boolean;
}

/** Takes what there is, record by record, and keeps only what the plan needs of it. */
export interface Planner {
  /** What has to be asked for. */
  readonly needs: { readonly senderIds: boolean; readonly groups: boolean };
  readonly takeSenderId: (record: Existing) => void;
  readonly takeGroup: (record: Existing) => void;
  /** Once all is taken. Nothing may be done where there are faults. */
  readonly plan: () => Plan | { readonly faults: readonly Fault[] };
}

export function createPlanner(manifest: Manifest, options: PlanOptions): Planner {
  const { senderIds, groups } = manifest;
  const wanted = new Map((senderIds ?? []).map((one) => [one.name, one]));
  const named = new Set((groups ?? []).flatMap(({ sender_id }) => sender_id ?? []));
  /** Of the sender IDs that the manifest speaks of. */
  const existing = new Map<string, Existing>();
  /** Names that more than one sender ID has: that they are unique is not promised. */
  const namesakes = new Set<string>();
  const unnamed = { senderIds: 0, groups: 0 };
  const deletes: { senderIds: Existing[]; groups: Existing[] } = { senderIds: [], groups: [] };
  const matching = matchGroups(groups ?? []);

  const notNamed = (kind: "senderIds" | "groups", record: Existing): void => {
    const isPruned = options.prune && manifest[kind] !== undefined;
    // Whatever can't be deleted is told before anything is.
    if (isPruned && kind === "senderIds") pathName(record);
    if (isPruned) deletes[kind].push(record);
    else unnamed[kind] += 1;
  };

  return {
    needs: { senderIds: senderIds !== undefined || named.size > 0, groups: groups !== undefined },
    takeSenderId: (record) => {
      const name = nameOf(record);
      const namesake = existing.get(name);
      if (namesake !== undefined && namesake["id"] !== record["id"]) namesakes.add(name);
      if (wanted.has(name) || named.has(name)) existing.set(name, record);
      if (!wanted.has(name)) notNamed("senderIds", record);
    },
    takeGroup: (record) => {
      if (!matching.take(record)) notNamed("groups", record);
    },
    plan: () => {
      const isPruned = options.prune && senderIds !== undefined;
      const faults = [
        ...matching.faults(),
        ...[...wanted.values()].flatMap((one) => namesakeFault(one, namesakes)),
        ...(groups ?? []).flatMap((group) => senderIdFault(group, wanted, existing, isPruned)),
      ];
      if (faults.length > 0) return { faults: faults.toSorted(byPlace) };
      const senderSteps = [...wanted.values()].map((desired) =>
        senderIdStep(desired, existing.get(desired.name), groups ?? []),
      );
      // What is not there, or goes, is used by no group that is.
      const unlinked = new Set(
        senderSteps.flatMap((step) =>
          step.action === "create" || (step.action === "replace" && options.replace)
            ? step.desired.name
            : [],
        ),
      );
      const groupSteps = (groups ?? []).map((desired) =>
        groupStep(desired, matching.found(desired), (name) =>
          options.resendSenderId ? true : typeof name === "string" && unlinked.has(name),
        ),
      );
      return {
        steps: [
          ...senderSteps,
          ...groupSteps,
          ...deletes.groups.map((record) => deletion("group", record)),
          ...deletes.senderIds.map((record) => deletion("sender-id", record)),
        ],
        notManaged: unnamed,
        notCompared: groupSteps.filter(
          ({ action, desired }) => action === "keep" && typeof desired.sender_id === "string",
        ).length,
      };
    },
  };
}

function deletion(kind: "sender-id" | "group", existing: Existing): Step {
  return { action: "delete", kind, existing };
}

function senderIdStep(
  desired: DesiredSenderId,
  existing: Existing | undefined,
  groups: readonly DesiredGroup[],
): Exclude<SenderIdStep, { action: "delete" }> {
  const kind = "sender-id";
  if (existing === undefined) return { action: "create", kind, desired };
  if (purposeOf(existing) === desired.purpose) return { action: "keep", kind, desired };
  const users = groups.filter(({ sender_id }) => sender_id === desired.name);
  return { action: "replace", kind, desired, existing, usedBy: users.map(({ name }) => name) };
}

/** @param isSent whether a sender ID of this name has to be sent though nothing else changes */
function groupStep(
  desired: DesiredGroup,
  existing: Existing | undefined,
  isSent: (senderId: string | null) => boolean,
): Exclude<GroupStep, { action: "delete" }> {
  const kind = "group";
  if (existing === undefined) return { action: "create", kind, desired };
  const changes = changesOf(desired, existing);
  const { sender_id } = desired;
  return changes.length > 0 || (sender_id !== undefined && isSent(sender_id))
    ? { action: "update", kind, desired, existing, changes }
    : { action: "keep", kind, desired, existing };
}

/** Which of them would be kept, or deleted, can't be said. */
function namesakeFault(
  { name, place }: DesiredSenderId,
  namesakes: ReadonlySet<string>,
): readonly Fault[] {
  if (!namesakes.has(name)) return [];
  const message = `several sender IDs are called "${name}": delete all but one`;
  return [{ ...place, message }];
}

/** A group may name a sender ID that is there and stays, or that the manifest has. */
function senderIdFault(
  { sender_id, senderIdPlace, place }: DesiredGroup,
  wanted: ReadonlyMap<string, unknown>,
  existing: ReadonlyMap<string, unknown>,
  isPruned: boolean,
): Fault[] {
  if (typeof sender_id !== "string" || wanted.has(sender_id)) return [];
  if (existing.has(sender_id) && !isPruned) return [];
  const why = existing.has(sender_id)
    ? "which --prune would delete: name it under sender_ids"
    : "and there is no sender ID of that name: name it under sender_ids, or name one that there is";
  const message = `sender_id is "${sender_id}", ${why}`;
  return [{ ...(senderIdPlace ?? place), message }];
}

function byPlace(one: Place, other: Place): number {
  return one.file === other.file
    ? one.line - other.line || one.column - other.column
    : one.file < other.file
      ? -1
      : 1;
}
