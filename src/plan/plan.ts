import type { Diagnostic, Location, StoredDifference } from "../contract/error.ts";
import {
  decimalId,
  type DesiredGroup,
  type DesiredSenderId,
  type Manifest,
} from "../manifest/manifest.ts";
import { matchGroups } from "./match-groups.ts";
import { changesOf, type Change, type Existing } from "./group-changes.ts";
import { emptyMemory, recallOf, type Memory, type Recall } from "./memory.ts";
import { groupKey, nameOf, pathName, purposeOf } from "./record-keys.ts";

/** A step for a sender ID. Sender IDs cannot be updated: specification, part 4. */
export type SenderIdStep =
  | {
      readonly action: "create";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      /** An existing name that differs only in case. */
      readonly lookalike?: string | undefined;
    }
  | {
      readonly action: "replace";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      /** Groups of the manifest that use it and lose it temporarily. Other groups lose it permanently. */
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

/** A step for a group. */
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
      /** Fields that are not sent again, because the service is known to store another value. */
      readonly storedDifferently: readonly StoredDifference[];
    }
  | { readonly action: "delete"; readonly kind: "group"; readonly existing: Existing };

export type Step = SenderIdStep | GroupStep;

/** The steps from the current to the desired state. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Counts of records that the manifest does not name and that are not deleted. */
  readonly notManaged: { readonly senderIds: number; readonly groups: number };
  /** Count of groups whose sender_id is neither compared nor sent. */
  readonly notCompared: number;
}

export interface PlanOptions {
  /** Deletes records that the manifest does not name, in the sections that it has. */
  readonly prune: boolean;
  /** Deletes and creates again the sender IDs that have another purpose. */
  readonly replace: boolean;
  /** Sends sender_id for every group that has one in the manifest. */
  readonly resendSenderId: boolean;
}

/** Receives the existing records one by one and stores only those that the plan needs. */
export interface Planner {
  /** The lists that have to be read. */
  readonly needs: { readonly senderIds: boolean; readonly groups: boolean };
  readonly takeSenderId: (record: Existing) => void;
  readonly takeGroup: (record: Existing) => void;
  /** Returns the plan, after all records were received. Nothing may be sent if there are diagnostics. */
  readonly plan: () => Plan | { readonly diagnostics: readonly Diagnostic[] };
}

/** Creates a planner. @param memory state that the last apply to this target stored */
export function createPlanner(
  manifest: Manifest,
  options: PlanOptions,
  memory: Memory = emptyMemory,
): Planner {
  const recall = recallOf(memory);
  const { senderIds, groups } = manifest;
  const wanted = new Map((senderIds ?? []).map((one) => [one.name, one]));
  const named = new Set((groups ?? []).flatMap(({ sender_id }) => sender_id ?? []));
  /** Existing sender IDs that the manifest names, by name. */
  const existing = new Map<string, Existing>();
  /** Names of several sender IDs. The specification does not promise unique names. */
  const duplicates = new Set<string>();
  const unnamed = { senderIds: 0, groups: 0 };
  const deletes: { senderIds: Existing[]; groups: Existing[] } = { senderIds: [], groups: [] };
  const matching = matchGroups(groups ?? [], recall);
  /** Sender IDs whose ids the manifest may use as names. */
  const byId = new Map<string, Existing>();
  /** Sender IDs that the service stored under another name, by the names that were sent. */
  const aliased = new Map<string, Existing>();
  const lookalikes = createLookalikes([...wanted.keys()]);

  const notNamed = (kind: "senderIds" | "groups", record: Existing): void => {
    const isPruned = options.prune && manifest[kind] !== undefined;
    // Throws for a name that cannot be deleted before anything is sent.
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
      const other = existing.get(name);
      if (other !== undefined && other["id"] !== record["id"]) duplicates.add(name);
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
        ...[...wanted.values()].flatMap((one) => duplicateProblem(one, duplicates)),
        ...[...wanted.values()].flatMap((one) =>
          existing.has(one.name) ? [] : whiteSpaceProblem(one, lookalikes.trimmed(one.name)),
        ),
        ...(groups ?? []).flatMap((group) =>
          senderIdProblem(group, wanted, existing, byId, isPruned, options.replace),
        ),
      ];
      if (diagnostics.length > 0) return { diagnostics: diagnostics.toSorted(byLocation) };
      const senderSteps = [...wanted.values()].map((desired) =>
        senderIdStep(desired, existing.get(desired.name), groups ?? [], recall, lookalikes),
      );
      // No existing group uses a sender ID that is created or replaced.
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

/** Returns the step for a group. @param isSent whether its sender ID is sent even if nothing else changes */
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
  const isKnown = ({ member: field, from, to }: Change): boolean =>
    recall.isStoredAs(kind, id, field, to, from);
  const changes = all.filter((change) => !isKnown(change));
  const storedDifferently = all
    .filter(isKnown)
    .map(({ member: field, from, to }) => ({ field, sent: to, stored: from }));
  const { sender_id, name } = desired;
  const isOwed = sender_id !== undefined && (isSent(sender_id) || recall.isOwed(id, name));
  return changes.length > 0 || isOwed
    ? { action: "update", kind, desired, existing, changes, storedDifferently }
    : { action: "keep", kind, desired, existing, storedDifferently };
}

/** Existing names that a service may treat as equal to names of the manifest. */
interface Lookalikes {
  /** Adds the name of an existing record that the manifest does not name. */
  readonly take: (name: string) => void;
  /** Returns the existing name that equals a name without its outer white space. */
  readonly trimmed: (name: string) => string | undefined;
  /** Returns an existing name that differs only in case. */
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

/** Rejects a name with outer white space: a service that trims names would never show it, and every apply send it. */
function whiteSpaceProblem(
  { name, location }: DesiredSenderId,
  existing: string | undefined,
): readonly Diagnostic[] {
  if (existing === undefined || existing === name) return [];
  const message = `unknown sender ID "${name}", but "${existing}" exists; remove the outer white space`;
  return [{ ...location, message }];
}

/** Rejects a name of several sender IDs, because it is ambiguous which of them to keep or delete. */
function duplicateProblem(
  { name, location }: DesiredSenderId,
  duplicates: ReadonlySet<string>,
): readonly Diagnostic[] {
  if (!duplicates.has(name)) return [];
  const message = `several sender IDs are named "${name}"; delete all but one`;
  return [{ ...location, message }];
}

/** Rejects the sender_id of a group unless it is in the manifest, or exists and is not deleted. */
function senderIdProblem(
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
  const desired = record === undefined ? undefined : wanted.get(nameOf(record));
  if (record !== undefined && (desired !== undefined || !isPruned)) {
    const isGone = desired !== undefined && isReplaced && desired.purpose !== purposeOf(record);
    if (!isGone) return [];
    const message = `sender_id "${sender_id}" is the id of a sender ID that --replace would replace; use its name`;
    return [{ ...(senderIdLocation ?? location), message }];
  }
  const message =
    existing.has(sender_id) || record !== undefined
      ? `--prune would delete the sender ID "${sender_id}"; add it to sender_ids`
      : `unknown sender ID "${sender_id}"; add it to sender_ids, or use an existing name${isId ? " or id" : ""}`;
  return [{ ...(senderIdLocation ?? location), message }];
}

function byLocation(one: Location, other: Location): number {
  return one.file === other.file
    ? one.line - other.line || one.column - other.column
    : one.file < other.file
      ? -1
      : 1;
}
