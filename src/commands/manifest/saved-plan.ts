import { createHash } from "node:crypto";
import type { Session } from "../../command/session.ts";
import { normalized, optionWords } from "../../config/target.ts";
import { type Field, resources, namesOf, type Fields } from "../../contract/resources.ts";
import { SendctlError } from "../../core/error.ts";
import { isRegularFile, readFileUpTo, utf8Text } from "../../core/files.ts";
import { indentedJson, jsonText, readJson } from "../../core/json-text.ts";
import { openOwnFile } from "../../core/own-file.ts";
import { safeText } from "../../core/text.ts";
import {
  type Existing,
  type Manifest,
  type RecordKind,
  idText,
  updateBody,
  decimalId,
  formOf,
  isPathSafeName,
  manifestFields,
  uuidPattern,
  type Form,
} from "../../manifest/manifest.ts";
import { changingSteps, type Plan, type PlanOptions } from "../../manifest/plan/plan.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { code } from "../../output/formats/markdown.ts";
import { planFormats } from "./report.ts";
import { shownAll, type StepFields, plannedText, stepTitle } from "./step-data.ts";
import { isObject } from "../../contract/service.ts";

/** A step as it was reviewed, with the values that it was computed from. */
export interface ReviewedStep {
  /** Equal for the steps of two plans from one manifest if they concern the same record. */
  readonly key: string;
  readonly title: string;
  /** The action, the fields of the existing record, and as `sent` the fields that an update sends. */
  readonly values: Existing;
}

/** The plan that `diff --save` writes and `apply --plan` carries out. */
interface SavedPlan {
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
 * Compares the steps of a plan with those that were reviewed. Returns the values that differ: a field, or an action, null
 * if there is no such step.
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

/** Version of the format and of how steps are computed. */
const version = 1;
const head = '{"sendctl_plan":';

/** Maximum size of a plan in bytes. */
const maxPlanBytes = 256 * 1024 * 1024;

/** Returns whether a text begins as a plan of any version does. */
function isPlan(text: string): boolean {
  return text.startsWith(head);
}

/** Returns the content of a file: a line with the version and a checksum of the rest, then the plan as JSON. */
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
  if (!isPlanShape(plan)) throw refuse("has another shape than a plan");
  return plan as SavedPlan;
}

/**
 * Prepares the file of `diff --save`, and returns the function that writes it.
 *
 * @throws SendctlError "usage" for an existing file that is not a plan, or one that cannot be written
 */
export function openPlanFile({ ask, config, input, output }: Session, given: string) {
  const { write } = openOwnFile(given, input.path, {
    option: "--save",
    author: "diff --save",
    maxBytes: maxPlanBytes,
    isOwn: isPlan,
  });
  return async ({ manifest, options }: Omit<SavedPlan, "target" | "steps">, plan: Plan) => {
    const steps = reviewedSteps(plan);
    const saved: SavedPlan = { target: targetOf(config), manifest, options, steps };
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

/** Reads the file of `apply --plan`. @throws SendctlError "usage" if it is damaged, or of another target or version */
export async function readPlanFile({ config, input, output }: Session, given: string) {
  output.supports("a plan", planFormats);
  const bytes = await readFileUpTo(given, input.path(given), maxPlanBytes);
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
  const bytes = await readFileUpTo(file, pathOf(file), head.length);
  return isPlan(bytes.toString("latin1"));
}

/** Returns what identifies the target in a plan: its base URL or database. */
function targetOf({ settings: { baseUrl, database } }: Session["config"]): string {
  return baseUrl === undefined ? database : normalized(baseUrl);
}

/** Reports what differs from the steps that were reviewed, and returns the exit code; undefined if nothing does. */
export async function refuseChanges(
  { output }: Pick<Session, "output">,
  reviewed: readonly ReviewedStep[],
  plan: Plan,
): Promise<ExitCode | undefined> {
  const changes = changedValues(reviewed, reviewedSteps(plan));
  if (changes.length === 0) return undefined;
  const message = "the records have changed since the plan was reviewed; nothing was applied";
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

/**
 * Returns whether a value has the shape of a saved plan: what a manifest accepts, and steps as they are reviewed. A right
 * checksum shows only that a file is whole, not who has written it.
 */
function isPlanShape(value: unknown): boolean {
  if (!isObject(value) || typeof value["target"] !== "string") return false;
  const { manifest, options, steps } = value;
  if (!isObject(manifest) || !isObject(options) || !Array.isArray(steps)) return false;
  const { senderIds, groups } = manifest;
  return (
    Object.values(options).every((option) => typeof option === "boolean") &&
    isSection("sender-id", senderIds) &&
    isSection("group", groups) &&
    steps.every(isStep)
  );
}

function isSection(kind: RecordKind, records: unknown): boolean {
  if (records === undefined) return true;
  return Array.isArray(records) && records.every((record) => isRecord(kind, record));
}

function isRecord(kind: RecordKind, record: unknown): boolean {
  if (!isObject(record) || typeof record["name"] !== "string") return false;
  const { known, required } = manifestFields[kind];
  const fields: Fields = resources[kind];
  return (
    required.every((name) => record[name] !== undefined) &&
    Object.entries(record).every(([name, value]) => {
      if (name === "location" || name === "senderIdLocation") return isLocation(value);
      if (!known.includes(name)) return false;
      return value === null || forms[formOf(name, fields[name]!)](value);
    })
  );
}

/** What each form of a field accepts. */
const forms: Readonly<Record<Form, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  name: (value) => typeof value === "string" && value !== "",
  "sender-id": (value) => typeof value === "string" && value !== "" && isPathSafeName(value),
  id: (value) => typeof value === "string" && decimalId.test(value),
  uuid: (value) => typeof value === "string" && uuidPattern.test(value),
  flag: (value) => typeof value === "boolean",
};

function isLocation(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((part) => ["string", "number"].includes(typeof part))
  );
}

function isStep(step: unknown): boolean {
  return (
    isObject(step) &&
    typeof step["key"] === "string" &&
    typeof step["title"] === "string" &&
    isObject(step["values"])
  );
}
