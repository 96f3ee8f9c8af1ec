import { createHash } from "node:crypto";
import { resources, namesOf } from "../../contract/resources.ts";
import { SendctlError } from "../../core/error.ts";
import { indentedJson, jsonText } from "../../core/json-text.ts";
import {
  type DesiredGroup,
  type Existing,
  type Manifest,
  type RecordKind,
  idText,
  nameOf,
  updateBody,
} from "../manifest.ts";
import type { Plan, PlanOptions, Step } from "./plan.ts";

/** A step as it was reviewed, with the values that it was computed from. */
export interface ReviewedStep {
  readonly kind: RecordKind;
  readonly name: string;
  /** Equal for the steps of two plans from one manifest if they concern the same record. */
  readonly key: string;
  readonly action: Step["action"];
  /** The fields of the existing record, except those that change without a change of settings. */
  readonly before: Existing;
  /** The fields that an update sends. */
  readonly sent: Existing;
}

/** The plan that `diff --save` writes and `apply --plan` carries out. */
export interface SavedPlan {
  /** The base URL or the database that it is for. */
  readonly target: string;
  readonly manifest: Manifest;
  readonly options: PlanOptions;
  readonly steps: readonly ReviewedStep[];
}

/** The fields of records that count. Contacts come and go, and reviews take place, while a plan is reviewed. */
const countingFields = {
  "sender-id": namesOf(resources["sender-id"], ({ type }) => type !== "status"),
  group: namesOf(resources.group, ({ shown }) => shown === undefined),
} as const satisfies Record<RecordKind, readonly string[]>;

/** Returns the steps of a plan that change something, as they are reviewed. */
export function reviewedSteps({ steps }: Plan): readonly ReviewedStep[] {
  return steps.flatMap((step) => {
    const { kind, action } = step;
    if (action === "keep") return [];
    const existing: Existing = "existing" in step ? step.existing : {};
    const fields = countingFields[kind].filter((field) => existing[field] !== undefined);
    const before = fields.map((field) => [
      field,
      field === "id" ? idText(existing) : existing[field],
    ]);
    const { name, id, uuid }: Partial<DesiredGroup> = "desired" in step ? step.desired : {};
    return {
      kind,
      action,
      name: name ?? nameOf(existing),
      key: jsonText(name === undefined ? [kind, idText(existing)] : [kind, name, id, uuid]),
      before: Object.fromEntries(before) as Existing,
      sent: action === "update" ? updateBody(step.desired, step.changes) : {},
    };
  });
}

/** What is different from the step that was reviewed. */
export interface ChangedStep {
  readonly kind: RecordKind;
  readonly name: string;
  readonly id: unknown;
  /** `action`, `sent` for the fields that an update sends, or a field of the record. */
  readonly field: string;
  /** Null if there was no such step, or value. */
  readonly reviewed: unknown;
  readonly current: unknown;
}

/** Compares the steps of a plan with those that were reviewed, value by value. */
export function changedSteps(
  reviewed: readonly ReviewedStep[],
  current: readonly ReviewedStep[],
): readonly ChangedStep[] {
  const byKey = new Map(current.map((step) => [step.key, step]));
  const known = new Set(reviewed.map(({ key }) => key));
  const pairs = [
    ...reviewed.map((step) => [step, byKey.get(step.key)] as const),
    ...current.filter(({ key }) => !known.has(key)).map((step) => [undefined, step] as const),
  ];
  return pairs.flatMap(([before, after]) => {
    const { kind, name, before: record } = (before ?? after)!;
    const [old, now] = [valuesOf(before), valuesOf(after)];
    const fields = old["action"] === now["action"] ? Object.keys({ ...old, ...now }) : ["action"];
    return fields.flatMap((field): ChangedStep[] => {
      const [was, is] = [old[field] ?? null, now[field] ?? null];
      if (jsonText(was) === jsonText(is)) return [];
      return [{ kind, name, id: record["id"], field, reviewed: was, current: is }];
    });
  });
}

/** Returns the values of a step that count. */
function valuesOf(step: ReviewedStep | undefined): Existing {
  return step === undefined ? {} : { ...step.before, sent: step.sent, action: step.action };
}

/** Version of the format and of how steps are computed. */
const version = 1;
const head = '{"sendctl_plan":';

/** Maximum size of a plan in bytes. */
export const maxPlanBytes = 256 * 1024 * 1024;

/** Returns whether a text begins as a plan of any version does. */
export function isPlan(text: string): boolean {
  return text.startsWith(head);
}

/** Returns the content of a file: a line with the version and a checksum of the rest, then the plan as JSON. */
export function planText(plan: SavedPlan): string {
  const content = indentedJson(jsonText(plan));
  return `${head}${version},"sha256":"${checksum(content)}"}\n${content}`;
}

/**
 * Parses the content of a file.
 *
 * @param name the file, for errors
 * @throws SendctlError "usage" for any other text than `planText` of this version returned
 */
export function parsePlan(text: string, name: string): SavedPlan {
  const refuse = (problem: string): SendctlError =>
    new SendctlError("usage", `${name} ${problem}; nothing was sent`, {
      hint: "save a plan: sendctl diff FILE --save PLAN",
    });
  if (!isPlan(text)) throw refuse("is not a plan of sendctl");
  if (!text.startsWith(`${head}${version},`)) {
    throw refuse("is a plan of another version of sendctl");
  }
  const content = text.slice(text.indexOf("\n") + 1);
  const [line = ""] = text.split("\n", 1);
  if (line !== `${head}${version},"sha256":"${checksum(content)}"}`) {
    throw refuse("is damaged or was edited");
  }
  return JSON.parse(content) as SavedPlan;
}

function checksum(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
