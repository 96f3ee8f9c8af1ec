import { createHash } from "node:crypto";
import { type Field, resources, namesOf } from "../../contract/resources.ts";
import { SendctlError } from "../../core/error.ts";
import { indentedJson, jsonText } from "../../core/json-text.ts";
import {
  type DesiredGroup,
  type Existing,
  type Manifest,
  type RecordKind,
  idText,
  updateBody,
} from "../../manifest/manifest.ts";
import type { Plan, PlanOptions } from "../../manifest/plan/plan.ts";
import { changingSteps, stepTitle } from "./step-text.ts";

/** A step as it was reviewed, with the values that it was computed from. */
export interface ReviewedStep {
  /** Equal for the steps of two plans from one manifest if they concern the same record. */
  readonly key: string;
  readonly title: string;
  /** The action, the fields of the existing record, and as `sent` the fields that an update sends. */
  readonly values: Existing;
}

/** The plan that `diff --save` writes and `apply --plan` carries out. */
export interface SavedPlan {
  /** The base URL or the database that it is for. */
  readonly target: string;
  readonly manifest: Manifest;
  readonly options: PlanOptions;
  readonly steps: readonly ReviewedStep[];
}

/** Returns the fields of records that count. Contacts come and go, and reviews take place, while a plan is reviewed. */
function countingFields(kind: RecordKind): readonly string[] {
  const fields: Readonly<Record<string, Field>> = resources[kind];
  return namesOf(fields, ({ type, shown }) => type !== "status" && shown === undefined);
}

/** Returns the steps of a plan that change something, as they are reviewed. */
export function reviewedSteps(plan: Plan): readonly ReviewedStep[] {
  return changingSteps(plan).map((step) => {
    const { kind, action } = step;
    const existing: Existing = "existing" in step ? step.existing : {};
    const id = idText(existing);
    const desired: Partial<DesiredGroup> = "desired" in step ? step.desired : {};
    const key = action === "delete" ? [id] : [desired.name, desired.id, desired.uuid];
    const before = countingFields(kind).map((field) => [field, existing[field]]);
    const sent = action === "update" ? updateBody(step.desired, step.changes) : undefined;
    return {
      key: jsonText([kind, ...key]),
      title: stepTitle(step),
      values: { action, ...Object.fromEntries(before), id, sent },
    };
  });
}

export type ChangedValue = ReturnType<typeof changedValues>[number];

/**
 * Compares the steps of a plan with those that were reviewed. Returns the values that differ: a field, or an action, null
 * if there is no such step.
 */
export function changedValues(reviewed: readonly ReviewedStep[], current: readonly ReviewedStep[]) {
  const before = new Map(reviewed.map((step) => [step.key, step]));
  const after = new Map(current.map((step) => [step.key, step]));
  return [...new Map([...after, ...before])].flatMap(([key, { title }]) => {
    const [old, now] = [before.get(key)?.values ?? {}, after.get(key)?.values ?? {}];
    const isSame = old["action"] === now["action"];
    return (isSame ? Object.keys({ ...old, ...now }) : ["action"])
      .map((field) => {
        return { title, field, reviewed: old[field] ?? null, current: now[field] ?? null };
      })
      .filter((value) => jsonText(value.reviewed) !== jsonText(value.current));
  });
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
