import { counted, safeText } from "../../core/text.ts";
import { nouns } from "../../manifest/manifest.ts";
import { textOf } from "../../output/views.ts";
import { rowsOf, shownAll, type StepRecord } from "./step-text.ts";

/** A plan or its outcome as data, without secrets. */
export interface PlanData {
  readonly steps: readonly (StepRecord & {
    readonly outcome?: string;
    readonly message?: string;
  })[];
  readonly warnings?: readonly string[];
}

/**
 * Returns text as Markdown that shows exactly that text: no link, mention, image, HTML or table cell begins or ends in
 * it. GitHub makes links even of addresses that are written with entities, so comments divide `http:`, `www.` and
 * `name@host`.
 */
export function code(text: string): string {
  const escaped = safeText(text)
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/&#(?:58|64);|(?<=www)&#46;/gi, "<!-- -->$&");
  return `<code>${escaped}</code>`;
}

/** The number of rows from which a comment is easier to read with its table folded. */
const maxOpenRows = 30;

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
  const changing = steps.filter(({ action }) => action !== "keep");
  const rows = changing.flatMap(tableRows);
  const isFolded = rows.length > maxOpenRows;
  const changes = counted(changing.length, "change");
  if (isFolded) yield `\n<details><summary>${changes}</summary>\n`;
  if (rows.length > 0) yield "\n| Change | Record | Field | Before → after |\n| - | - | - | - |\n";
  yield* rows;
  if (isFolded) yield "\n</details>\n";
  if (warnings.length > 0) yield "\nWarnings:\n\n";
  for (const warning of warnings) yield `- ${code(warning)}\n`;
}

/** Returns the rows of a step: one for each field, the first with its title. */
function tableRows(step: PlanData["steps"][number]): readonly string[] {
  const title = `| ${changeOf(step)} | ${titleOf(step)} |`;
  const fields = rowsOf(step).map(({ field, values, remark = "", text }) => {
    const shownValues = text === undefined ? shownAll(values) : [text];
    return ` ${field} | ${`${shownValues.map(code).join(" → ")} ${remark}`.trim()} |\n`;
  });
  if (fields.length === 0) return [`${title} | |\n`];
  return fields.map((row, index) => `${index === 0 ? title : "| | |"}${row}`);
}

function titleOf({ kind, name, id }: StepRecord): string {
  const suffix = id === undefined || id === null ? "" : ` (id ${code(textOf(id))})`;
  return `${nouns[kind]} ${code(textOf(name))}${suffix}`;
}

/** Returns the action of a step, what became of it, and why it is not done. */
function changeOf({ action, outcome, message, blocked }: PlanData["steps"][number]): string {
  const ending = outcome === undefined || outcome === "done" ? "" : ` ${outcome.replace("_", " ")}`;
  const reason = message ?? blocked;
  return `${action}${ending}${reason === undefined ? "" : `: ${code(reason)}`}`;
}
