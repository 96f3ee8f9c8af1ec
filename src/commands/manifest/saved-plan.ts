import { existsSync } from "node:fs";
import { createHash } from "node:crypto";
import type { Session } from "../../command/session.ts";
import { normalized, optionWords } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import {
  encodingOf,
  isRegularFile,
  readFileUpTo,
  unreadableFile,
  utf8Text,
} from "../../core/files.ts";
import { indentedJson, jsonText, readJson } from "../../core/json-text.ts";
import { openOwnFile } from "../../core/own-file.ts";
import { safeText } from "../../core/text.ts";
import { type Manifest, type Existing, idText, updateBody } from "../../manifest/manifest.ts";
import { readManifest } from "../../manifest/read.ts";
import { jsonManifest } from "../../manifest/export.ts";
import { type Plan, type PlanOptions, changingSteps } from "../../manifest/plan/plan.ts";
import { planFormats } from "./report.ts";
import { isObject } from "../../contract/service.ts";
import { type RecordKind, type Field, resources, namesOf } from "../../contract/resources.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { code } from "../../output/formats/markdown.ts";
import { shownAll, type StepFields, plannedText, stepTitle } from "./step-data.ts";

/** What a plan is made from. */
export interface PlannedState {
  readonly manifest: Manifest;
  readonly options: PlanOptions;
}

/** The plan of `diff --save` and `apply --plan`. Its manifest has the values of its variables. */
interface SavedPlan extends PlannedState {
  /** The base URL or the database that it is for. */
  readonly target: string;
  readonly steps: readonly ReviewedStep[];
}

/** Version of the format and of how steps are computed. */
const version = 1;
const head = '{"sendctl_plan":';

/** Maximum size of a plan in bytes. */
const maxPlanBytes = 256 * 1024 * 1024;

/** Returns whether a text begins as a plan of any version does. */
function isPlan(text: string): boolean {
  return text.startsWith(head);
}

/** Returns the content of a file: a line with version and checksum, then the plan as JSON. */
function fileText(content: string): string {
  const checksum = createHash("sha256").update(content).digest("hex");
  return `${head}${version},"sha256":"${checksum}"}\n${content}`;
}

/**
 * Parses the content of a file.
 *
 * @param name the file, for errors
 * @throws SendctlError "usage" for any other text than `fileText` of this version returned
 */
function parsePlan(text: string, name: string): SavedPlan {
  const refuse = (problem: string): SendctlError =>
    new SendctlError("usage", `${name} ${problem}; nothing was sent`, {
      hint: "save a plan: sendctl diff FILE --save PLAN",
    });
  if (!isPlan(text)) throw refuse("is not a plan of sendctl");
  if (!text.startsWith(`${head}${version},`)) {
    throw refuse("is a plan of another version of sendctl");
  }
  const content = text.slice(text.indexOf("\n") + 1);
  if (text !== fileText(content)) throw refuse("is damaged or was edited");
  const plan = readJson(content);
  if (!isObject(plan)) throw refuse("has another shape than a plan");
  const { target, options, manifest, steps } = plan;
  // A right checksum shows only that a file is whole, not who has written it.
  const isPlanShape =
    typeof target === "string" &&
    isObject(options) &&
    Object.values(options).every((option) => typeof option === "boolean") &&
    isObject(manifest) &&
    Array.isArray(steps) &&
    steps.every(isStep);
  const source = { name, bytes: Buffer.from(indentedJson(jsonText(manifest ?? null))) };
  const read = isPlanShape ? readManifest([source], {}, undefined, {}, maxPlanBytes) : undefined;
  if (read === undefined || "diagnostics" in read) throw refuse("has another shape than a plan");
  return { ...(plan as unknown as SavedPlan), manifest: read.manifest };
}

/**
 * Prepares the file of `diff --save`, and returns the function that writes it.
 *
 * @throws SendctlError "usage" for a file that is not a plan, or that cannot be written
 */
export function openPlanFile({ ask, config, input, output }: Session, given: string) {
  const { write } = openOwnFile(given, input.path, {
    option: "--save",
    author: "diff --save",
    maxBytes: maxPlanBytes,
    isOwn: isPlan,
  });
  return async ({ manifest, options }: PlannedState, plan: Plan) => {
    const { senderIds, groups } = manifest;
    const written = [...jsonManifest(senderIds, groups)].join("");
    const steps = reviewedSteps(plan);
    const saved = { target: targetOf(config), options, manifest: readJson(written), steps };
    const text = fileText(indentedJson(jsonText(saved)));
    if (output.hasSecret(text)) {
      throw new SendctlError("usage", "the plan contains the secret key, so it was not saved", {
        hint: "remove the key from the manifest and from the records",
      });
    }
    write(text);
    const command = ask.line(["apply", ...optionWords("--plan", given)]);
    await output.say(safeText(`Saved the plan; to apply it: ${command}`));
  };
}

/** Reads a saved plan. @throws SendctlError "usage" if damaged, or of another target or version */
export async function readPlanFile({ config, input, output }: Session, given: string) {
  output.supports("a plan", planFormats);
  const path = input.path(given);
  if (existsSync(path) && !isRegularFile(path)) {
    throw unreadableFile(given, { code: "not a regular file" });
  }
  const bytes = await readFileUpTo(given, path, maxPlanBytes);
  const plan = parsePlan(utf8Text(bytes, maxPlanBytes, given, "save the plan again"), given);
  const target = targetOf(config);
  if (plan.target === target) return { ...plan, reviewed: plan.steps };
  throw new SendctlError("usage", `${given} is a plan for ${plan.target}, not for ${target}`, {
    hint: "choose that target with --profile, --base-url or --database",
  });
}

/** Returns whether a regular file is a saved plan. */
export async function isPlanFile(file: string, pathOf: (file: string) => string): Promise<boolean> {
  if (file === "-" || !isRegularFile(pathOf(file))) return false;
  const bytes = await readFileUpTo(file, pathOf(file), 4 * head.length);
  return isPlan(new TextDecoder(encodingOf(bytes)).decode(bytes));
}

/** Returns the name of the target in a plan: its base URL or database. */
function targetOf({ settings: { baseUrl, database } }: Session["config"]): string {
  return baseUrl === undefined ? database : normalized(baseUrl);
}

/** A step is only compared, so that its values may be anything. */
function isStep(step: unknown): boolean {
  return (
    isObject(step) &&
    typeof step["key"] === "string" &&
    typeof step["title"] === "string" &&
    isObject(step["values"])
  );
}

/** A step as it was reviewed, with the values that it was computed from. */
export interface ReviewedStep {
  /** Equal for the steps of two plans from one manifest if they concern the same record. */
  readonly key: string;
  readonly title: string;
  /** The action, the fields of the existing record, and as `sent` those that an update sends. */
  readonly values: Existing;
}

/** Returns the fields that count. Contacts and statuses may change while a plan is reviewed. */
function countingFields(kind: RecordKind): readonly string[] {
  const fields: Readonly<Record<string, Field>> = resources[kind];
  return namesOf(fields, ({ type, shown }) => type !== "status" && shown === undefined);
}

/** Returns the steps of a plan that change something, as they are reviewed. */
export function reviewedSteps(plan: Plan): readonly ReviewedStep[] {
  return changingSteps(plan).map((step) => {
    const { kind, action } = step;
    const { existing = {}, desired = {} }: StepFields = step;
    const id = idText(existing);
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

type ChangedValue = ReturnType<typeof changedValues>[number];

/**
 * Compares the steps of a plan with those that were reviewed. Returns the values that differ: a
 * field, or an action, null where the step is missing.
 */
function changedValues(reviewed: readonly ReviewedStep[], current: readonly ReviewedStep[]) {
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

/** Reports differences from the reviewed steps and returns the exit code; undefined for none. */
export async function refuseChanges(
  { output }: Pick<Session, "output">,
  reviewed: readonly ReviewedStep[],
  plan: Plan,
): Promise<ExitCode | undefined> {
  const changes = changedValues(reviewed, reviewedSteps(plan));
  if (changes.length === 0) return undefined;
  const message = "the records have changed since the plan was reviewed; nothing was changed";
  const hint = "review a new plan";
  const data = { applied: 0, changed: changes };
  const markdown = () => [
    `${message}\n\n`,
    ...changes.map((change) => `- ${code(changeText(change))}\n`),
  ];
  await output.report({ message, data, error: { kind: "differences", hint }, markdown });
  const lines = changes.slice(0, maxLines).map(changeText);
  const more = changes.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  await output.printError([message, ...lines, `hint: ${hint}`].join("\n"));
  return exitCodes.differences;
}

/** Maximum number of changes that are printed; `--json` has all. */
const maxLines = 20;

/** The names of fields that no record has. */
const names: Readonly<Record<string, string>> = { sent: "the body of its update" };

function changeText({ title, field, reviewed, current }: ChangedValue): string {
  return field === "action"
    ? `${title}: ${plannedText(reviewed)} in the plan, ${plannedText(current)} now`
    : `${title}: ${names[field] ?? field} was ${shownAll([reviewed, current]).join(" in the plan, is ")} now`;
}
