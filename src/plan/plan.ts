import type { Diagnostic, Location, StoredDifference } from "../contract/error.ts";
import {
  comparedGroupFields,
  decimalId,
  type DesiredGroup,
  type DesiredSenderId,
  type Manifest,
} from "../manifest/manifest.ts";
import { matchGroups } from "./match-groups.ts";
import { changesOf, type Change, type Existing } from "./group-changes.ts";
import { createLookalikes } from "./lookalikes.ts";
import { emptyMemory, recallOf, type CreatedRecord, type Memory, type Recall } from "./memory.ts";
import { groupKey, nameOf, pathName, purposeOf, recordKey } from "./record-keys.ts";

/** The record that the last apply created for a step and that no list shows yet. It is not created again. */
interface Unlisted {
  readonly id: string;
  /** Seconds since it was created. */
  readonly age: number;
}

/** A step for a sender ID. Sender IDs cannot be updated: specification, part 4. */
export type SenderIdStep =
  | {
      readonly action: "create";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly unlisted: Unlisted | undefined;
    }
  | {
      readonly action: "replace";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      /** Groups of the manifest that use it and lose it temporarily. Other groups lose it permanently. */
      readonly usedBy: readonly string[];
      /** Whether `--replace` was given. */
      readonly isAllowed: boolean;
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
  | {
      readonly action: "create";
      readonly kind: "group";
      readonly desired: DesiredGroup;
      readonly unlisted: Unlisted | undefined;
    }
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
  /** Returns whether the lists showed a record. */
  readonly isListed: (kind: Step["kind"], record: { readonly id?: unknown }) => boolean;
  /** Records that the last apply created and that no list shows yet. */
  readonly unlisted: readonly CreatedRecord[];
}

/** Why there is no plan. */
interface Unplanned {
  /** "conflict" if records of the manifest differ from existing ones only in case. */
  readonly kind: "usage" | "conflict";
  readonly diagnostics: readonly Diagnostic[];
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
  /** Returns the fields of a record that the plan compares. */
  readonly fieldsOf: (kind: Step["kind"], record: Existing) => readonly string[];
  /** Returns the plan, after all records were received. Nothing may be sent if there are diagnostics. */
  readonly plan: () => Plan | Unplanned;
}

/**
 * Creates a planner.
 *
 * @param memory state that the last apply to this target stored
 * @param now milliseconds since 1970
 */
export function createPlanner(
  manifest: Manifest,
  options: PlanOptions,
  memory: Memory = emptyMemory,
  now = 0,
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
  const lookalikes = {
    senderIds: createLookalikes("sender ID", [...wanted.keys()]),
    groups: createLookalikes(
      "group",
      (groups ?? []).map(({ name }) => name),
    ),
  };
  const listed = new Set<string>();
  const isListed: Plan["isListed"] = (kind, { id }) => listed.has(recordKey(kind, id));
  /** Returns the record that the last apply created for a record of the manifest, unless the lists show it. */
  const unlistedFor = (kind: Step["kind"], name: string): Unlisted | undefined => {
    const found = memory.created.find((created) => created.kind === kind && created.name === name);
    if (found === undefined || isListed(kind, found)) return undefined;
    return { id: found.id, age: Math.round((now - found.at) / 1000) };
  };

  const notNamed = (kind: "senderIds" | "groups", record: Existing): void => {
    const isPruned = options.prune && manifest[kind] !== undefined;
    // Throws for a name that cannot be deleted before anything is sent.
    if (isPruned && kind === "senderIds") pathName(record);
    lookalikes[kind].take(record);
    if (isPruned) deletes[kind].push(record);
    else unnamed[kind] += 1;
  };

  return {
    needs: { senderIds: senderIds !== undefined || named.size > 0, groups: groups !== undefined },
    takeSenderId: (record) => {
      const id = String(record["id"]);
      listed.add(recordKey("sender-id", id));
      const name = nameOf(record);
      const sentName = wanted.has(name) ? undefined : recall.sentName("sender-id", id, name);
      if (named.has(id)) byId.set(id, record);
      if (sentName !== undefined && wanted.has(sentName)) {
        aliased.set(sentName, record);
        return;
      }
      const other = existing.get(name);
      if (other !== undefined && other["id"] !== record["id"]) duplicates.add(name);
      if (wanted.has(name) || named.has(name)) existing.set(name, record);
      if (!wanted.has(name)) notNamed("senderIds", record);
    },
    takeGroup: (record) => {
      listed.add(recordKey("group", record["id"]));
      if (!matching.take(record)) notNamed("groups", record);
    },
    fieldsOf: (kind, record) => {
      if (kind === "sender-id") return wanted.has(nameOf(record)) ? ["purpose"] : [];
      const desired = matching.matches(record);
      return comparedGroupFields.filter((field) =>
        desired.some((group) => group[field] !== undefined),
      );
    },
    plan: () => {
      for (const [name, record] of aliased) if (!existing.has(name)) existing.set(name, record);
      const isPruned = options.prune && senderIds !== undefined;
      const diagnostics = [
        ...matching.diagnostics(),
        ...[...wanted.values()].flatMap((one) => duplicateProblem(one, duplicates)),
        ...(groups ?? []).flatMap((group) =>
          senderIdProblem(group, wanted, existing, byId, isPruned, options.replace),
        ),
      ];
      const similar = [
        ...[...wanted.values()]
          .filter(({ name }) => !existing.has(name))
          .flatMap((one) => lookalikes.senderIds.problemOf(one) ?? []),
        ...(groups ?? [])
          .filter((group) => matching.found(group) === undefined)
          .flatMap((group) => lookalikes.groups.problemOf(group) ?? []),
      ];
      if (diagnostics.length + similar.length > 0) {
        const all = [...diagnostics, ...similar.map(({ diagnostic }) => diagnostic)];
        const isConflict = diagnostics.length === 0 && similar.every((one) => one.isConflict);
        return {
          kind: isConflict ? "conflict" : "usage",
          diagnostics: all.toSorted(byLocation),
        };
      }
      const senderSteps = [...wanted.values()].map((desired) =>
        senderIdStep(
          desired,
          existing.get(desired.name),
          groups ?? [],
          recall,
          unlistedFor,
          options.replace,
        ),
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
        groupStep(desired, matching.found(desired), recall, unlistedFor, (name) =>
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
        isListed,
        unlisted: memory.created.filter((created) => !isListed(created.kind, created)),
      };
    },
  };
}

type UnlistedFor = (kind: Step["kind"], name: string) => Unlisted | undefined;

function deletion(kind: "sender-id" | "group", existing: Existing): Step {
  return { action: "delete", kind, existing };
}

function senderIdStep(
  desired: DesiredSenderId,
  existing: Existing | undefined,
  groups: readonly DesiredGroup[],
  recall: Recall,
  unlistedFor: UnlistedFor,
  isAllowed: boolean,
): Exclude<SenderIdStep, { action: "delete" }> {
  const kind = "sender-id";
  const { name, purpose } = desired;
  if (existing === undefined) {
    return { action: "create", kind, desired, unlisted: unlistedFor(kind, name) };
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
  const usedBy = users.map((group) => group.name);
  return { action: "replace", kind, desired, existing, usedBy, isAllowed };
}

/** Returns the step for a group. @param isSent whether its sender ID is sent even if nothing else changes */
function groupStep(
  desired: DesiredGroup,
  existing: Existing | undefined,
  recall: Recall,
  unlistedFor: UnlistedFor,
  isSent: (senderId: string | null) => boolean,
): Exclude<GroupStep, { action: "delete" }> {
  const kind = "group";
  if (existing === undefined) {
    return { action: "create", kind, desired, unlisted: unlistedFor(kind, desired.name) };
  }
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
