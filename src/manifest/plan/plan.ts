import type { Diagnostic } from "../../core/error.ts";
import type { RecordKind } from "../../contract/resources.ts";
import {
  type Change,
  type DesiredGroup,
  type DesiredSenderId,
  type Existing,
  type Manifest,
  changesOf,
  comparedGroupFields,
  groupKey,
  nameOf,
  pathName,
  purposeOf,
  recordKey,
} from "../manifest.ts";
import { matchRecords, senderIdReferences, type Problem } from "./match-records.ts";
import { isObject } from "../../contract/service.ts";
import { jsonText, readJson } from "../../core/json-text.ts";

/** The steps that records of both kinds have. */
type CommonStep<Kind extends RecordKind, Desired> =
  | {
      readonly action: "create";
      readonly kind: Kind;
      readonly desired: Desired;
    }
  | {
      readonly action: "keep";
      readonly kind: Kind;
      readonly desired: Desired;
      readonly existing: Existing;
    }
  | { readonly action: "delete"; readonly kind: Kind; readonly existing: Existing };

/** A step for a sender ID. The interface has no update of sender IDs. */
type SenderIdStep =
  | CommonStep<"sender-id", DesiredSenderId>
  | {
      readonly action: "replace";
      readonly kind: "sender-id";
      readonly desired: DesiredSenderId;
      readonly existing: Existing;
      /** Whether `--replace` was given. */
      readonly isAllowed: boolean;
    };

/** A step for a group. */
type GroupStep =
  | CommonStep<"group", DesiredGroup>
  | {
      readonly action: "update";
      readonly kind: "group";
      readonly desired: DesiredGroup;
      readonly existing: Existing;
      readonly changes: readonly Change[];
    };

export type Step = SenderIdStep | GroupStep;

/** A step that is carried out. */
export type ChangingStep = Exclude<Step, { readonly action: "keep" }>;

/** The steps from the current to the desired state. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Counts of records that the manifest does not name and that are not deleted. */
  readonly notManaged: { readonly senderIds: number; readonly groups: number };
  /** Count of groups whose sender_id is neither compared nor sent, although the manifest has it. */
  readonly notCompared: number;
  /** Returns whether the lists showed a record. */
  readonly isListed: (kind: RecordKind, record: { readonly id?: unknown }) => boolean;
  /** The warnings of an undo; undefined for the plan of a manifest. */
  readonly warnings?: readonly string[];
}

/** The problems that prevent a plan. */
interface Unplanned {
  /** "conflict" if names of the manifest are the same for people as existing ones. */
  readonly kind: "usage" | "conflict";
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the steps that change something. */
export function changingSteps({ steps }: Plan): ChangingStep[] {
  return steps.filter((step) => step.action !== "keep");
}

/** Returns why apply does not carry out a step of a plan, if it does not. */
export function blockedBy(step: Step): string | undefined {
  return step.action === "replace" && !step.isAllowed ? "needs --replace" : undefined;
}

/** Returns the steps that apply carries out. */
export function dueSteps(plan: Plan): ChangingStep[] {
  return changingSteps(plan).filter((step) => blockedBy(step) === undefined);
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
  /** The kinds of records whose lists must be read, with the fields that each record needs. */
  readonly needs: { readonly [Kind in RecordKind]?: readonly string[] };
  readonly take: (kind: RecordKind, record: Existing) => void;
  /** Returns the plan, after all records were received. Diagnostics forbid sending any of it. */
  readonly plan: () => Plan | Unplanned;
}

/** Creates a planner. @param memory state that the last apply to this target stored */
export function createPlanner(
  manifest: Manifest,
  options: PlanOptions,
  memory: Memory = [],
): Planner {
  const { senderIds = [], groups = [] } = manifest;
  const managed = {
    "sender-id": manifest.senderIds !== undefined,
    group: manifest.groups !== undefined,
  };
  const matchings = {
    "sender-id": matchRecords("sender-id", senderIds),
    group: matchRecords("group", groups),
  };
  const unmanaged = { "sender-id": 0, group: 0 };
  const deletes: Record<RecordKind, Step[]> = { group: [], "sender-id": [] };
  const listed = new Set<string>();
  const isListed: Plan["isListed"] = (kind, { id }) => listed.has(recordKey(kind, id));
  const references = senderIdReferences(groups, senderIds);

  return {
    needs: {
      ...((managed["sender-id"] || references.areNeeded) && { "sender-id": ["purpose"] }),
      ...(managed.group && {
        group: comparedGroupFields.filter((field) =>
          groups.some((group) => group[field] !== undefined),
        ),
      }),
    },
    take: (kind, record) => {
      listed.add(recordKey(kind, record["id"]));
      if (kind === "sender-id") references.take(record);
      if (matchings[kind].take(record)) return;
      const isPruned = options.prune && managed[kind];
      // Throws for a name that cannot be deleted, or shown, before anything is sent.
      if (isPruned) (kind === "sender-id" ? pathName : nameOf)(record);
      if (isPruned) deletes[kind].push({ action: "delete", kind, existing: record });
      else unmanaged[kind] += 1;
    },
    plan: () => {
      const problems = [
        ...matchings["sender-id"].problems(),
        ...matchings.group.problems(),
        ...references.problems(options.prune && managed["sender-id"]),
      ];
      if (problems.length > 0) return unplanned(problems);
      const senderSteps = senderIds.map((desired): SenderIdStep => {
        const kind = "sender-id";
        const existing = matchings[kind].found(desired);
        return existing === undefined
          ? { action: "create", kind, desired }
          : senderIdStep(desired, existing, options);
      });
      const unlinked = new Set(senderSteps.flatMap((step) => unlinkedBy(step, options) ?? []));
      const groupSteps = groups.map((desired): GroupStep => {
        const kind = "group";
        const { sender_id } = desired;
        const existing = matchings[kind].found(desired);
        const isUnlinked = typeof sender_id === "string" && unlinked.has(sender_id);
        return existing === undefined
          ? { action: "create", kind, desired }
          : groupStep(desired, existing, memory, options.resendSenderId || isUnlinked, references);
      });
      return {
        steps: [...senderSteps, ...groupSteps, ...deletes.group, ...deletes["sender-id"]],
        notManaged: { senderIds: unmanaged["sender-id"], groups: unmanaged.group },
        notCompared: groupSteps.filter(
          (step) =>
            step.action === "keep" &&
            step.desired.sender_id !== undefined &&
            step.existing["sender_id"] === undefined,
        ).length,
        isListed,
      };
    },
  };
}

function unplanned(problems: readonly Problem[]): Unplanned {
  return {
    kind: problems.every(({ isConflict }) => isConflict) ? "conflict" : "usage",
    diagnostics: problems
      .map(({ diagnostic }) => diagnostic)
      .toSorted((a, b) => {
        if (a.file !== b.file) return a.file < b.file ? -1 : 1;
        return a.line - b.line || a.column - b.column;
      }),
  };
}

/** Returns the sender ID of a step that no existing group uses afterwards: created or replaced. */
function unlinkedBy(step: SenderIdStep, { replace }: PlanOptions): string | undefined {
  const isUnlinked = step.action === "create" || (step.action === "replace" && replace);
  return isUnlinked ? step.desired.name : undefined;
}

function senderIdStep(
  desired: DesiredSenderId,
  existing: Existing,
  { replace: isAllowed }: PlanOptions,
): SenderIdStep {
  const kind = "sender-id";
  const isSame = desired.name === nameOf(existing) && desired.purpose === purposeOf(existing);
  if (isSame) return { action: "keep", kind, desired, existing };
  return { action: "replace", kind, desired, existing, isAllowed };
}

/** Returns the step for a group. @param isSent whether its sender ID is sent in any case */
function groupStep(
  desired: DesiredGroup,
  existing: Existing,
  memory: Memory,
  isSent: boolean,
  { isShownAs }: ReturnType<typeof senderIdReferences>,
): GroupStep {
  const kind = "group";
  const id = groupKey(existing);
  const changes = [...changesOf(desired, existing)];
  const { sender_id, name } = desired;
  const { sender_id: shown } = existing;
  if (shown !== undefined && sender_id !== undefined && !isShownAs(shown, sender_id)) {
    changes.push({ field: "sender_id", from: shown, to: sender_id });
  }
  const isPending = memory.includes(keyOfId(id)) || memory.includes(keyOfName(name));
  const isUnset = sender_id !== undefined && (isSent || isPending);
  return changes.length > 0 || isUnset
    ? { action: "update", kind, desired, existing, changes }
    : { action: "keep", kind, desired, existing };
}

/**
 * What the next apply must know and no response shows: groups that may lack their sender ID, each
 * as `keyOfId` or, until its id is known, `keyOfName` names it. See docs/decisions/0016.
 */
export type Memory = readonly string[];

/** @param id decimal */
export function keyOfId(id: string): string {
  return `id ${id}`;
}

export function keyOfName(name: string): string {
  return `name ${name}`;
}

/** Parses a state file. Invalid content is ignored: applies are correct without it. */
export function parseMemory(text = ""): Memory {
  const value = readJson(text);
  const pending = isObject(value) && value["version"] === 1 ? value["pending"] : [];
  return Array.isArray(pending) ? pending.filter((key) => typeof key === "string") : [];
}

/**
 * Returns the content of a state file; undefined if there is nothing to store.
 *
 * @param isSecret returns whether a text contains the key: what has it is not stored
 */
export function memoryText(
  memory: Memory,
  isSecret: (text: string) => boolean,
): string | undefined {
  const pending = memory.filter((key) => !isSecret(jsonText(key)));
  return pending.length === 0 ? undefined : `${jsonText({ version: 1, pending })}\n`;
}
