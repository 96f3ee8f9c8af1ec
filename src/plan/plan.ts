import type { StoredDifference } from "../contract/error.ts";
import {
  decimalId,
  type DesiredGroup,
  type DesiredSenderId,
  type Diagnostic,
  type Manifest,
  type Location,
} from "../manifest/manifest.ts";
import { matchGroups } from "./match-groups.ts";
import { changesOf, type Change, type Existing } from "./group-changes.ts";
import { emptyMemory, recallOf, type Memory, type Recall } from "./memory.ts";
import { groupKey, nameOf, pathName, purposeOf } from "./record-keys.ts";

/** What has to happen to a sender ID. It can't be updated: specification, part 4. */
export type SenderIdStep =
  | {
      readonly action: "create";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      /** An existing name that differs in case alone. */
      readonly lookalike?: string | undefined;
    }
  | {
      readonly action: "replace";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      /** Groups of the manifest that name it, and lose it for a moment; others lose it for good. */
      readonly usedBy: readonly string[];
    }
  | {
      readonly action: "keep";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      readonly storedDifferently: readonly StoredDifference[];
    }
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
      readonly storedDifferently: readonly StoredDifference[];
    }
  | {
      readonly action: "keep";
      readonly kind: "group";
      readonly desired: DesiredGroup;
      readonly existing: Existing;
      /** What was sent before, and is not sent again, as the service stores it with another value. */
      readonly storedDifferently: readonly StoredDifference[];
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
  /** Once all is taken. Nothing may be done where there are diagnostics. */
  readonly plan: () => Plan | { readonly diagnostics: readonly Diagnostic[] };
}

/** @param memory what the last apply to this target left behind */
export function createPlanner(
  manifest: Manifest,
  options: PlanOptions,
  memory: Memory = emptyMemory,
): Planner {
  const recall = recallOf(memory);
  const { senderIds, groups } = manifest;
  const wanted = new Map((senderIds ?? []).map((one) => [one.name, one]));
  const named = new Set((groups ?? []).flatMap(({ sender_id }) => sender_id ?? []));
  /** Of the sender IDs that the manifest speaks of. */
  const existing = new Map<string, Existing>();
  /** Names that more than one sender ID has: that they are unique is not promised. */
  const namesakes = new Set<string>();
  const unnamed = { senderIds: 0, groups: 0 };
  const deletes: { senderIds: Existing[]; groups: Existing[] } = { senderIds: [], groups: [] };
  const matching = matchGroups(groups ?? [], recall);
  /** Sender IDs that the manifest may name by their ids. */
  const byId = new Map<string, Existing>();
  /** Sender IDs that the service calls otherwise than they were sent, by the names that were sent. */
  const aliased = new Map<string, Existing>();
  const lookalikes = createLookalikes([...wanted.keys()]);

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
      const id = String(record["id"]);
      const name = nameOf(record);
      const sentName = wanted.has(name) ? undefined : recall.sentName("sender-id", id, name);
      if (named.has(id)) byId.set(id, record);
      if (sentName !== undefined && wanted.has(sentName)) {
        aliased.set(sentName, record);
        return;
      }
      if (!wanted.has(name)) lookalikes.take(name);
      const namesake = existing.get(name);
      if (namesake !== undefined && namesake["id"] !== record["id"]) namesakes.add(name);
      if (wanted.has(name) || named.has(name)) existing.set(name, record);
      if (!wanted.has(name)) notNamed("senderIds", record);
    },
    takeGroup: (record) => {
      if (!matching.take(record)) notNamed("groups", record);
    },
    plan: () => {
      for (const [name, record] of aliased) if (!existing.has(name)) existing.set(name, record);
      const isPruned = options.prune && senderIds !== undefined;
      const diagnostics = [
        ...matching.diagnostics(),
        ...[...wanted.values()].flatMap((one) => namesakeFault(one, namesakes)),
        ...[...wanted.values()].flatMap((one) =>
          existing.has(one.name) ? [] : trimmedFault(one, lookalikes.trimmed(one.name)),
        ),
        ...(groups ?? []).flatMap((group) =>
          senderIdFault(group, wanted, existing, byId, isPruned, options.replace),
        ),
      ];
      if (diagnostics.length > 0) return { diagnostics: diagnostics.toSorted(byLocation) };
      const senderSteps = [...wanted.values()].map((desired) =>
        senderIdStep(desired, existing.get(desired.name), groups ?? [], recall, lookalikes),
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
        groupStep(desired, matching.found(desired), recall, (name) =>
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
  recall: Recall,
  lookalikes: Lookalikes,
): Exclude<SenderIdStep, { action: "delete" }> {
  const kind = "sender-id";
  const { name, purpose } = desired;
  if (existing === undefined) {
    return { action: "create", kind, desired, lookalike: lookalikes.folded(name) };
  }
  const differing = [
    { field: "name", sent: name, stored: nameOf(existing) },
    { field: "purpose", sent: purpose, stored: purposeOf(existing) },
  ].filter(({ sent, stored }) => sent !== stored);
  const id = String(existing["id"]);
  const isKnown = ({ field, sent, stored }: StoredDifference): boolean =>
    recall.isStoredAs(kind, id, field, sent, stored);
  if (differing.every(isKnown)) {
    return { action: "keep", kind, desired, existing, storedDifferently: differing };
  }
  const users = groups.filter(({ sender_id }) => sender_id === desired.name);
  return { action: "replace", kind, desired, existing, usedBy: users.map(({ name }) => name) };
}

/** @param isSent whether a sender ID of this name has to be sent though nothing else changes */
function groupStep(
  desired: DesiredGroup,
  existing: Existing | undefined,
  recall: Recall,
  isSent: (senderId: string | null) => boolean,
): Exclude<GroupStep, { action: "delete" }> {
  const kind = "group";
  if (existing === undefined) return { action: "create", kind, desired };
  const id = groupKey(existing);
  const all = changesOf(desired, existing);
  const isKnown = ({ member, from, to }: Change): boolean =>
    recall.isStoredAs(kind, id, member, to, from);
  const changes = all.filter((change) => !isKnown(change));
  const storedDifferently = all
    .filter(isKnown)
    .map(({ member, from, to }) => ({ field: member, sent: to, stored: from }));
  const { sender_id, name } = desired;
  const isOwed = sender_id !== undefined && (isSent(sender_id) || recall.isOwed(id, name));
  return changes.length > 0 || isOwed
    ? { action: "update", kind, desired, existing, changes, storedDifferently }
    : { action: "keep", kind, desired, existing, storedDifferently };
}

/** Existing names that a service may take for names of the manifest. */
interface Lookalikes {
  /** @param name of an existing record that the manifest does not name */
  readonly take: (name: string) => void;
  /** Returns an existing name that is a name without its outer white space. */
  readonly trimmed: (name: string) => string | undefined;
  /** Returns an existing name that differs in case alone. */
  readonly folded: (name: string) => string | undefined;
}

function createLookalikes(names: readonly string[]): Lookalikes {
  const wanted = new Set(names.flatMap((name) => [name.trim(), fold(name)]));
  const trimmed = new Set<string>();
  const folded = new Map<string, string>();
  return {
    take: (name) => {
      if (wanted.has(name)) trimmed.add(name);
      if (wanted.has(fold(name))) folded.set(fold(name), name);
    },
    trimmed: (name) => (trimmed.has(name.trim()) ? name.trim() : undefined),
    folded: (name) => folded.get(fold(name)),
  };
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** A service that trims names would be sent a name for ever that it never shows. */
function trimmedFault(
  { name, location }: DesiredSenderId,
  existing: string | undefined,
): readonly Diagnostic[] {
  if (existing === undefined || existing === name) return [];
  const message = `there is no sender ID "${name}", and there is "${existing}": remove the outer white space`;
  return [{ ...location, message }];
}

/** Which of them would be kept, or deleted, can't be said. */
function namesakeFault(
  { name, location }: DesiredSenderId,
  namesakes: ReadonlySet<string>,
): readonly Diagnostic[] {
  if (!namesakes.has(name)) return [];
  const message = `several sender IDs are called "${name}": delete all but one`;
  return [{ ...location, message }];
}

/** A group may name a sender ID that is there and stays, or that the manifest has. */
function senderIdFault(
  { sender_id, senderIdLocation, location }: DesiredGroup,
  wanted: ReadonlyMap<string, DesiredSenderId>,
  existing: ReadonlyMap<string, unknown>,
  byId: ReadonlyMap<string, Existing>,
  isPruned: boolean,
  isReplaced: boolean,
): Diagnostic[] {
  if (typeof sender_id !== "string" || wanted.has(sender_id)) return [];
  if (existing.has(sender_id) && !isPruned) return [];
  const isId = decimalId.test(sender_id) && !existing.has(sender_id);
  const record = isId ? byId.get(sender_id) : undefined;
  const kept = record === undefined ? undefined : wanted.get(nameOf(record));
  if (record !== undefined && (kept !== undefined || !isPruned)) {
    const isGone = kept !== undefined && isReplaced && kept.purpose !== purposeOf(record);
    if (!isGone) return [];
    const message = `sender_id is "${sender_id}", the id of a sender ID that --replace would replace: give its name`;
    return [{ ...(senderIdLocation ?? location), message }];
  }
  const why =
    existing.has(sender_id) || record !== undefined
      ? "which --prune would delete: name it under sender_ids"
      : `and there is no sender ID of that name${isId ? " or id" : ""}: name it under sender_ids, or name one that there is`;
  const message = `sender_id is "${sender_id}", ${why}`;
  return [{ ...(senderIdLocation ?? location), message }];
}

function byLocation(one: Location, other: Location): number {
  return one.file === other.file
    ? one.line - other.line || one.column - other.column
    : one.file < other.file
      ? -1
      : 1;
}
