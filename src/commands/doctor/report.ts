import type { Capabilities } from "../../cli/capabilities.ts";
import type { CheckResult } from "../../doctor/check.ts";
import type { ReportedError } from "../../output/formats/format.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { displayWidth, prepareToMeasure, wrapToWidth } from "../../output/table/display-width.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Style } from "../../output/style.ts";
import type { Surface } from "../../output/table/table.ts";
import type { RecordView } from "../../output/views.ts";
import { refuseDryRun } from "../arguments.ts";

/** A finding as it is printed. */
type ShownCheck = Omit<CheckResult, "kind">;

/** Reports what is wrong and how to fix it; ends as the worst failed check would end a command. */
export async function reportChecks(context: Capabilities): Promise<ExitCode> {
  if (context.config.settings.dryRun) {
    if (context.config.settings.baseUrl === undefined) refuseDryRun(context);
    await context.service["sender-id.list"]({ query: { perPage: 1 } });
  }
  const results = await context.doctor.diagnose();
  const message = summary(results);
  const checks = results.map(({ name, status, detail, fix }): ShownCheck => ({
    name,
    status,
    detail: safeText(detail),
    fix: fix === null ? null : safeText(fix),
  }));
  const error = errorOf(results);
  await context.output.report({
    message,
    ...(error === undefined ? {} : { error }),
    data: { checks },
    text: (surface) => listText(checks, surface),
    records: { items: checks, view: checkView },
  });
  if (error === undefined) await context.output.say(message);
  else await context.output.complain(message);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Returns the failed check with the highest exit code as an error: later checks depend on earlier ones. */
function errorOf(results: readonly CheckResult[]): ReportedError | undefined {
  let error: ReportedError | undefined;
  for (const { kind, fix } of results) {
    if (kind === null) continue;
    const isWorse = error === undefined || exitCodeOfKind(kind) > exitCodeOfKind(error.kind);
    if (isWorse) error = { kind, hint: fix === null ? undefined : safeText(fix) };
  }
  return error;
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckResult["status"]): number =>
    results.filter((finding) => finding.status === status).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const parts = [
    ...(faults === 0 ? [] : [faults === 1 ? "1 fault" : `${faults} faults`]),
    ...(warnings === 0 ? [] : [warnings === 1 ? "1 warning" : `${warnings} warnings`]),
  ];
  return parts.length === 0 ? "All is well" : parts.join(", ");
}

const checkView: RecordView = {
  one: "check",
  many: "checks",
  key: "name",
  toCreate: "sendctl doctor",
  fields: {},
  columns: ["name", "status", "detail", "fix"],
};

const looks: Readonly<Record<ShownCheck["status"], readonly [mark: string, paint: keyof Style]>> = {
  ok: ["✓", "good"],
  warning: ["!", "waiting"],
  fault: ["✗", "bad"],
};

/** In columns: below it, lines are left to the terminal to break. */
const narrowestText = 20;

/** A line a check, with its fix below it; at a terminal marked, coloured and fitted. */
async function listText(
  checks: readonly ShownCheck[],
  { width, style }: Surface,
): Promise<string[]> {
  await prepareToMeasure(checks.flatMap(({ detail, fix }) => [detail, fix ?? ""]));
  const nameWidth = Math.max(...checks.map(({ name }) => displayWidth(name)));
  return checks.flatMap(({ name, status, detail, fix }) => {
    const [mark, paint] = looks[status];
    const word = (width === undefined ? status : `${mark} ${status}`).padEnd(
      width === undefined ? 7 : 9,
    );
    const margin = word.length + 2 + nameWidth + 2;
    const room = width === undefined ? Infinity : Math.max(narrowestText, width - margin);
    const texts = [
      ...wrapToWidth(detail, room),
      ...(fix === null ? [] : wrapToWidth(`fix: ${fix}`, room)),
    ];
    return texts.map((text, index) => {
      const line =
        index === 0
          ? `${style[paint](word)}  ${style.heading(name.padEnd(nameWidth))}  ${text}`
          : `${" ".repeat(margin)}${text}`;
      return `${line.trimEnd()}\n`;
    });
  });
}
