import { safeText } from "../../core/text.ts";
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

/** Yields a plan as Markdown for a pull request. @param title without values */
export function* planMarkdown(title: string, { steps, warnings = [] }: PlanData): Iterable<string> {
  yield `${title}\n`;
  const changing = steps.filter(({ action }) => action !== "keep");
  if (changing.length > 0)
    yield "\n| Change | Record | Field | Before → after |\n| - | - | - | - |\n";
  for (const step of changing) {
    let start = `| ${changeOf(step)} | ${titleOf(step)} |`;
    const rows = rowsOf(step);
    if (rows.length === 0) yield `${start} | |\n`;
    for (const { field, values, remark = "", text } of rows) {
      const shownValues = text === undefined ? shownAll(values) : [text];
      const cell = `${shownValues.map(code).join(" → ")} ${remark}`.trim();
      yield `${start} ${field} | ${cell} |\n`;
      start = "| | |";
    }
  }
  if (warnings.length > 0) yield "\nWarnings:\n\n";
  for (const warning of warnings) yield `- ${code(warning)}\n`;
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
