import type { Session } from "../../command/session.ts";
import { targetName } from "../../config/target.ts";
import { checkLine, type ErrorKind, isStop, joinedChecks, SendctlError } from "../../core/error.ts";
import { counted, firstOf, safeText } from "../../core/text.ts";
import { type Outcome, pendingAfter } from "../../manifest/plan/execute.ts";
import { type Plan, type Step, blockedBy, changingSteps } from "../../manifest/plan/plan.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { FormatName, ReportedError } from "../../output/formats/format.ts";
import { wrapLines } from "../../output/terminal.ts";
import {
  stepData,
  changesBy,
  countsText,
  outcomeLine,
  stepText,
  stepTitle,
  summaryOf,
  deletedTitle,
  rowsOf,
  type StepData,
} from "./step-data.ts";
import { carrierWarning, messageWarning } from "../sms.ts";
import { nouns } from "../../contract/resources.ts";
import { code } from "../../output/formats/markdown.ts";
import { textOf } from "../../output/views.ts";

type Target = Pick<Session, "output" | "config">;

/** The formats of a plan. Its steps are of several kinds, which do not fit into rows or ids. */
export const planFormats: readonly FormatName[] = ["table", "json", "jsonl", "yaml", "markdown"];

/**
 * Shows a plan as the result of `diff` or `apply --dry-run`.
 *
 * @param maxDeletes number of deletes above which `apply` refuses the plan
 * @returns the number of differences
 */
export async function reportPlan(
  { output, config }: Target,
  plan: Plan,
  maxDeletes: number,
): Promise<number> {
  const changes = changingSteps(plan);
  const isSame = changes.length === 0;
  const count = isSame ? "No differences" : counted(changes.length, "difference");
  const counts = planLine(plan);
  const line = `${count} · ${counts}`;
  const { deleted } = summaryOf(plan.steps);
  const refusal = `apply would refuse to delete ${deleted} records, because --max-deletes is ${maxDeletes}`;
  const warnings = [...warningsOf(plan), ...(deleted > maxDeletes ? [refusal] : [])];
  const steps = plan.steps.map((step) => stepData({ step }));
  const title = isSame ? line : counts;
  await output.report({
    message: `${count}${notComparedText(plan)}`,
    data: { ...planCounts(plan, unblocked(plan)), ...(warnings.length > 0 && { warnings }), steps },
    markdown: (data) => planMarkdown(title, data as PlanData, targetName(config.settings)),
    async text({ style, width }) {
      const texts = changes.map((step) => `${stepText(step, style)}\n`);
      return [await wrapLines(texts.join(""), width)];
    },
    records: {
      items: steps.filter(({ action }) => action !== "keep"),
      view: { key: "name", fields: {}, columns: ["action", "kind", "name"] },
    },
  });
  await output.say(line);
  for (const warning of warnings) await output.warn(warning);
  return changes.length;
}

/** Shows the plan of an `apply`. @throws SendctlError "usage" if it deletes too many records */
export async function showPlan(
  { output }: Pick<Session, "output">,
  plan: Plan,
  maxDeletes: number,
): Promise<void> {
  const { deleted } = summaryOf(plan.steps);
  if (deleted > maxDeletes) {
    throw new SendctlError(
      "usage",
      `--prune would delete ${deleted} records, but --max-deletes is ${maxDeletes}; nothing was sent`,
      { hint: `review them with sendctl diff FILE --prune, then pass --max-deletes ${deleted}` },
    );
  }
  for (const step of changingSteps(plan)) await output.say((style) => stepText(step, style));
  await output.say(planLine(plan));
  for (const warning of warningsOf(plan)) await output.warn(warning);
}

/**
 * Reports what an apply or an undo has done, and returns its exit code.
 *
 * @param outcomes of all steps that change something
 */
export async function conclude(
  { output, config }: Target,
  plan: Plan,
  outcomes: readonly Outcome[],
  verb: "apply" | "undo",
): Promise<ExitCode> {
  const titles = firstOf(
    notReplaced(plan).map((step) => stepTitle(step)),
    maxNamed,
  );
  const lines = titles === "" ? [] : [`Not changed: ${titles} must be replaced`];
  const hint = "pass --replace: to apply or, for a saved plan, to diff --save";
  const error: ReportedError | undefined =
    errorOfOutcomes(outcomes) ?? (titles === "" ? undefined : { kind: "differences", hint });
  const warnings = [...lines, ...warningsOf(plan)];
  const { applied, title, counts } = resultsOf(plan, outcomes, verb);
  const notCompared = notComparedText(plan);
  const heading = `${title}${notCompared}`;
  const steps = outcomes.map((outcome) => stepData(outcome, output.database));
  const decisive = decisiveOf(outcomes);
  const failure = decisive === undefined ? [] : [outcomeLine(decisive, output.database)];
  await output.report({
    message: [`${applied}${notCompared}`, ...failure, ...lines].join(". "),
    data: { ...counts, ...(warnings.length > 0 && { warnings }), steps },
    markdown: (data) => planMarkdown(heading, data as PlanData, targetName(config.settings)),
    // Formats of lines have printed each step already.
    text: "",
    ...(error && { error }),
  });
  await output.say(`${title}${nextText(outcomes, verb)}`);
  const unknown = outcomes.filter(({ result }) => result === "unknown");
  const checks = joinedChecks(unknown.flatMap((outcome) => outcome.error?.details.check ?? []));
  const isHinted = decisive !== undefined && decisive.error?.details.check === undefined;
  const hints = [isHinted ? error?.hint : undefined, resendHintFor(outcomes)];
  for (const next of new Set([...checks.map(checkLine), ...hints])) {
    if (next) await output.say(`hint: ${safeText(next)}`);
  }
  for (const line of lines) await output.printError(`${line}\nhint: ${hint}`);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Returns the sender IDs that apply does not replace. */
function notReplaced(plan: Plan): readonly Step[] {
  return changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
}

function unblocked({ steps }: Plan): readonly Step[] {
  return steps.filter((step) => blockedBy(step) === undefined);
}

/** Counts steps as `--json` prints them. @param steps those that are or would be carried out */
function planCounts(plan: Plan, steps: readonly Step[]) {
  const { notCompared, notManaged } = plan;
  return {
    summary: {
      ...summaryOf(steps),
      not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
      not_compared: notCompared,
    },
    must_be_replaced: notReplaced(plan).length,
    not_compared: notCompared,
  };
}

/** Returns the counts of a plan: `2 to create, 1 to update, 5 unchanged`. */
function planLine(plan: Plan): string {
  const { senderIds, groups } = plan.notManaged;
  const replaced = notReplaced(plan).length;
  const planned = [
    countsText(unblocked(plan), "planned"),
    replaced > 0 && `${replaced} must be replaced`,
  ];
  const others = [
    senderIds > 0 && counted(senderIds, "sender ID"),
    groups > 0 && counted(groups, "group"),
  ];
  const nothing = plan.warnings ? "Nothing of it is left to undo" : "0 records in the manifest";
  const left = others.filter(Boolean).join(" and ");
  const rest = left === "" ? "" : ` · ${left} not in the manifest, left alone`;
  return `${planned.filter(Boolean).join(", ") || nothing}${rest}${notComparedText(plan)}`;
}

/** Returns the note after the result of a plan that did not compare everything. */
function notComparedText({ notCompared }: Plan): string {
  if (notCompared === 0) return "";
  const them = notCompared === 1 ? "it" : "them";
  return ` · ${counted(notCompared, "sender ID")} not compared (the service never shows ${them})`;
}

/** Counts outcomes, as text and as data. A record that was created incompletely is created. */
function resultsOf(plan: Plan, outcomes: readonly Outcome[], verb: "apply" | "undo") {
  const total = outcomes.length;
  const of = (wanted: Outcome["result"]) => outcomes.filter(({ result }) => result === wanted);
  const [finished, skipped] = [of("done"), of("skipped")];
  const incomplete = outcomes.filter(({ isIncomplete }) => isIncomplete);
  const created = incomplete.map(({ step }) => step).filter(({ action }) => action === "create");
  const carriedOut = [...finished.map(({ step }) => step), ...created];
  const all = [...carriedOut, ...plan.steps.filter(({ action }) => action === "keep")];
  const accepted = outcomes.filter(({ isAccepted }) => isAccepted).length;
  const isOpen = accepted === 0 ? "" : `; ${accepted} accepted, not done yet`;
  const counts = {
    applied: finished.length,
    failed: total - finished.length - skipped.length - incomplete.length,
    incomplete: incomplete.length,
    outcome_unknown: of("unknown").length,
    not_tried: skipped.length,
    ...planCounts(plan, all),
  };
  const isEmpty = carriedOut.length === 0;
  if (verb === "undo" && total > 0) {
    const undone = countsText(carriedOut, "done", created, ["sender-id", "group"]);
    const rest = finished.length === total ? "" : ` (${finished.length} of ${total} steps)`;
    const title = `Undone: ${isEmpty ? "nothing" : undone}${rest}${isOpen}`;
    return { applied: title, title, counts };
  }
  const applied = total === 0 ? `Nothing to ${verb}` : `Applied ${finished.length} of ${total}`;
  const done = countsText(all, "done", created);
  return { applied, title: isEmpty ? applied : `${applied} · ${done}${isOpen}`, counts };
}

/** Returns the hint for steps that are not done, if repeating the command can help. */
function nextText(outcomes: readonly Outcome[], verb: "apply" | "undo"): string {
  const unknown = outcomes.filter(({ result }) => result === "unknown").length;
  if (unknown > 0) {
    const them = unknown === 1 ? "it" : "them";
    const steps = `${counted(unknown, "step")} may or may not have been applied`;
    return `; ${steps}; check ${them}, then run ${verb} again`;
  }
  return outcomes.some(mayBeRepeated) ? `; run ${verb} again to continue` : "";
}

/** Maximum number of records that one line names. */
const maxNamed = 20;

/** Errors that come again when the same step is repeated. */
const lasting = new Set<ErrorKind>(["usage", "auth", "not_found", "conflict", "invalid", "defect"]);

/** Returns whether a step that failed can succeed when it is repeated unchanged. */
function mayBeRepeated({ result, error }: Outcome): boolean {
  return result !== "done" && error !== undefined && !lasting.has(error.kind);
}

/** Returns how to resend sender IDs that groups may silently lack: docs/decisions/0016. */
function resendHintFor(outcomes: readonly Outcome[]): string | undefined {
  return outcomes.some((each) => pendingAfter(each) !== undefined && mayBeRepeated(each))
    ? "apply again on this machine, or pass --resend-sender-id to apply on another one"
    : undefined;
}

/**
 * Returns the outcome that a command ends with: a signal, whose exit code a supervisor needs; else
 * the first failure in the order of the steps, else the first value stored differently.
 */
function decisiveOf(outcomes: readonly Outcome[]): Outcome | undefined {
  const withError = outcomes.filter(({ error }) => error !== undefined);
  return (
    withError.find(({ error }) => isStop(error?.kind)) ??
    withError.find(({ result }) => result !== "done") ??
    withError[0]
  );
}

/** Returns the error that a command ends with; undefined if all steps succeeded. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const error = decisiveOf(outcomes)?.error;
  if (error === undefined) return undefined;
  const { kind, details: found, hint = resendHintFor(outcomes) } = error;
  const { httpStatus, stored, lookup } = found;
  const details = { httpStatus };
  return { kind, hint, details, fields: { stored_differently: stored, lookup } };
}

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Returns warnings about deleted groups that look renamed, and about texts as a create or an update
 * has them; for an undo, about what it does not restore.
 */
function warningsOf({ steps, warnings }: Plan): readonly string[] {
  if (warnings !== undefined) return warnings;
  const texts = steps.flatMap((step) => {
    const text = textWarning(step);
    return text === undefined ? [] : `${stepTitle(step)}: ${text}`;
  });
  return [renameWarning(steps), texts].flatMap((lines) => {
    const more = lines.length - maxWarnings;
    const rest = more > 0 ? [`and ${more} more records like these`] : [];
    return [...lines.slice(0, maxWarnings), ...rest];
  });
}

/** Deleting a group deletes its contacts, which an update of its name would keep. */
function renameWarning(steps: readonly Step[]): readonly string[] {
  const groups = steps.filter(({ kind }) => kind === "group");
  const [deleted, ...deletes] = groups.filter(({ action }) => action === "delete");
  const [created, ...creates] = groups.filter(({ action }) => action === "create");
  const isClear = deletes.length === 0 && creates.length === 0;
  if (deleted === undefined || created === undefined || !isClear) return [];
  return [
    `${deletedTitle(deleted)} would be deleted and ${stepTitle(created)} created; to rename a group and keep its contacts, write its id beside the new name`,
  ];
}

/** Returns the warning about a text that a step would store, if any. */
function textWarning(step: Step): string | undefined {
  if (step.kind === "sender-id") {
    return step.action === "create" ? carrierWarning(step.desired.name) : undefined;
  }
  const message = changesBy(step).find(({ field }) => field === "birthday_message")?.to;
  return typeof message === "string" ? messageWarning(message) : undefined;
}

/** A plan or its outcome as data, without secrets. */
export interface PlanData {
  readonly steps: readonly StepData[];
  readonly warnings?: readonly string[] | undefined;
}

/**
 * Yields a plan as Markdown for a pull request.
 *
 * @param title without values
 * @param target its name, with the profile
 */
export function* planMarkdown(
  title: string,
  { steps, warnings = [] }: PlanData,
  target: string,
): Iterable<string> {
  yield `Target: ${code(target)}\n\n${title}\n`;
  const rows = steps.filter(({ action }) => action !== "keep").flatMap(tableRows);
  if (rows.length > 0) yield "\n| Change | Record | Field | Before → after |\n| - | - | - | - |\n";
  yield* rows;
  if (warnings.length > 0) yield "\nWarnings:\n\n";
  for (const warning of warnings) yield `- ${code(warning)}\n`;
}

/** Returns the rows of a step: one for each field, the first with its title. */
function tableRows(step: StepData): readonly string[] {
  const { action, outcome = "done", message, blocked, kind, name, id } = step;
  const ending = outcome === "done" ? "" : ` ${outcome.replace("_", " ")}`;
  const reason = message ?? blocked;
  const change = `${action}${ending}${reason === undefined ? "" : `: ${code(reason)}`}`;
  const suffix = id === undefined || id === null ? "" : ` (id ${code(textOf(id))})`;
  const title = `| ${change} | ${nouns[kind]} ${code(textOf(name))}${suffix} |`;
  const fields = rowsOf(step).map(({ field, texts, remark = "" }) => {
    return ` ${field} | ${`${texts.map(code).join(" → ")} ${remark}`.trim()} |\n`;
  });
  if (fields.length === 0) return [`${title} | |\n`];
  return fields.map((row, index) => `${index === 0 ? title : "| | |"}${row}`);
}
