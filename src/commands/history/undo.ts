import { confirm, mustConfirm, wholeNumber } from "../../command/arguments.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import type { JournalEntry } from "../../config/journal.ts";
import { targetName } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { counted, safeText } from "../../core/text.ts";
import { comparedGroupFields, type Existing, type RecordKind } from "../../manifest/manifest.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import { executeStep } from "../../manifest/plan/execute-step.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { errorOfOutcomes, outcomeLine, outcomeRecord } from "../manifest/outcome.ts";
import { readRecords } from "../manifest/read-records.ts";
import { stepRecord, stepText, stepView } from "../manifest/step-text.ts";
import {
  createCurrentRecords,
  isUndone,
  lossesOf,
  planUndo,
  problemOf,
  revertedSteps,
  type CurrentRecords,
  type UndoStep,
} from "./undo-plan.ts";

/** Returns an entry by its number. @throws SendctlError "not_found" */
export function entryAt(entries: readonly JournalEntry[], number: number): JournalEntry {
  const entry = entries[number - 1];
  if (entry !== undefined) return entry;
  const message = `the history of this target has no entry ${number}`;
  throw new SendctlError("not_found", message, { hint: "sendctl history" });
}

export const undo = defineCommand({
  path: "undo",
  changes: "service",
  description:
    "Undo the newest command that changed something and is not undone, or entry N of the history, after confirmation. Updated fields get their old values, deleted records are created again, and created ones are deleted unless they have contacts. If a record has changed since, nothing is done. A record that is created again has a new id and uuid, and neither its contacts nor its approval.",
  args: { n: optional("number of the entry, as `sendctl history` shows it") },
  options: { yes: flag("-y, --yes", "undo without confirmation") },
  exitCodes: [
    [2, "the command cannot be undone"],
    [4, "no such entry, or nothing to undo"],
    [12, "a record has changed since; nothing was done"],
  ],
  examples: ["sendctl undo --dry-run", "sendctl undo 3 --yes"],
  async run(context, { n }, { yes }) {
    const { target, output, config } = context;
    const { dryRun } = config.settings;
    const given = wholeNumber(n, "N", 1);
    const recorder = await target.recorder();
    const entries = await recorder.entries();
    const newest = entries.findIndex(
      (entry) => entry.undoes === undefined && !isUndone(entry, entries),
    );
    if (given === undefined && newest < 0) {
      throw new SendctlError("not_found", "nothing to undo", { hint: "sendctl history" });
    }
    const number = given ?? newest + 1;
    const entry = entryAt(entries, number);
    refuseImpossible(entry, number, entries);
    const mustAsk = !dryRun && mustConfirm(context, yes, "undo");
    await target.announce();
    const reader = createCurrentRecords(entries);
    const kinds = (["sender-id", "group"] as const).filter((kind) =>
      entry.steps.some((step) => step.kind === kind),
    );
    const names = new Set(entry.steps.map(({ after }) => after?.["name"]));
    const refusal = await readRecords(context, target.service, {
      ...reader,
      needs: kinds,
      fieldsOf: (kind, { name }) => {
        if (!names.has(name)) return [];
        return kind === "group" ? comparedGroupFields : ["purpose"];
      },
    });
    if (refusal !== undefined) return output.refusal(refusal);
    const { steps, changed } = planUndo(entry, number, revertedSteps(entry, entries), reader);
    if (changed.length > 0) throw changedSince(entry, changed);
    const losses = lossesOf(entry, steps);
    if (dryRun) return showPlan(context, entry, steps, losses);
    await output.say(safeText(`Undo of ${entry.command}`));
    for (const { step } of steps) await output.say((style) => stepText(step, style));
    for (const loss of losses) await output.say(`Not restored: ${loss}`);
    if (mustAsk) {
      const question = `Undo this on ${targetName(config.settings)}?`;
      await confirm(context, "undo", question, "Nothing undone", "service");
    }
    return conclude(context, await carryOut(context, entry, steps, reader));
  },
});

/** @throws SendctlError "usage" for an entry that was undone or cannot be */
function refuseImpossible(
  entry: JournalEntry,
  number: number,
  entries: readonly JournalEntry[],
): void {
  const why = isUndone(entry, entries) ? "it is undone already" : problemOf(entry);
  if (why === undefined) return;
  throw new SendctlError("usage", `entry ${number} (${entry.command}) cannot be undone: ${why}`, {
    hint: `sendctl history ${number}`,
  });
}

/** Maximum number of changed records in an error. */
const maxNamed = 20;

function changedSince(entry: JournalEntry, changed: readonly string[]): SendctlError {
  const more = changed.length > maxNamed ? `; and ${changed.length - maxNamed} more` : "";
  return new SendctlError(
    "differences",
    `records have changed since ${entry.command}: ${changed.slice(0, maxNamed).join("; ")}${more}; nothing was undone`,
    { hint: "sendctl history N -o yaml prints the records as they were before entry N" },
  );
}

/** Shows the steps that an undo would carry out. */
async function showPlan(
  { output }: Capabilities,
  { command }: JournalEntry,
  steps: readonly UndoStep[],
  losses: readonly string[],
): Promise<ExitCode> {
  const records = steps.map(({ step }) => stepRecord(step));
  await output.report({
    message: `${counted(steps.length, "step")} to undo ${command}`,
    data: { command, not_restored: losses, steps: records },
    text: ({ style }) => steps.map(({ step }) => `${stepText(step, style)}\n`),
    records: { items: records, view: stepView },
  });
  for (const loss of losses) await output.say(`Not restored: ${loss}`);
  return exitCodes.done;
}

/** Carries out the steps one after the other, and stops at the first failure. */
async function carryOut(
  { target, output, clock }: Capabilities,
  entry: JournalEntry,
  steps: readonly UndoStep[],
  current: CurrentRecords,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const recorder = await target.recorder();
  const executor = {
    service: target.service,
    isListed: (kind: RecordKind, record: Existing) => current.get(kind, record) !== undefined,
    beforeStep: () => clock.sleep(0),
    warn: (line: string) => output.warn(safeText(line)),
  };
  for (const { step, reverts } of steps) {
    recorder.takeBack(entry.id, reverts);
    const hasFailed = outcomes.some(({ outcome }) => outcome !== "done");
    const outcome: Outcome = hasFailed
      ? { step, outcome: "not tried", why: "an earlier step failed" }
      : { step, ...(await executeStep(step, executor, new Set())) };
    outcomes.push(outcome);
    const line = outcomeLine(outcome, output.database);
    const isDone = outcome.outcome === "done";
    // A step can have several requests, and has taken nothing back if the last one fails.
    if (isDone) await recorder.tookBack();
    else await output.printError(line);
    await output.event(outcomeRecord(outcome, output.database), isDone ? line : undefined);
  }
  return outcomes;
}

/** Reports what was undone. */
async function conclude({ output }: Capabilities, outcomes: readonly Outcome[]): Promise<ExitCode> {
  const done = outcomes.filter(({ outcome }) => outcome === "done").length;
  const error = errorOfOutcomes(outcomes);
  const message = `Undid ${done} of ${counted(outcomes.length, "step")}`;
  await output.report({
    message,
    data: { undone: done, steps: outcomes.map((each) => outcomeRecord(each, output.database)) },
    text: "",
    // Formats of lines have printed each step already.
    records: { items: [], view: stepView },
    ...(error && { error }),
  });
  await output.say(error === undefined ? message : `${message}; undo again to continue`);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}
