import { nouns } from "../../contract/resources.ts";
import { code } from "../../output/formats/markdown.ts";
import { textOf } from "../../output/views.ts";
import { rowsOf, type StepData } from "./step-data.ts";

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
