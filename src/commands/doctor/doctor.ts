import type { ReportedError } from "../../output/formats/format.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { CheckResult } from "../../doctor/check.ts";
import { exitCodeOfKind, exitCodes } from "../../output/exit-codes.ts";
import { displayWidth, prepareToMeasure, wrapWords } from "../../output/table/display-width.ts";
import { counted, safeText } from "../../core/text.ts";
import type { Style } from "../../output/terminal.ts";
import type { Surface } from "../../output/table/table.ts";
import type { RecordView } from "../../output/views.ts";
import { refuseDryRun } from "../../command/arguments.ts";

export const doctor = defineCommand({
  path: "doctor",
  description:
    "Diagnose problems with Node, the database, the config file, the profile, the key and the network, and suggest fixes. Changes nothing.",
  examples: ["sendctl doctor", "sendctl doctor --json"],
  /** The exit code is the highest of the failed checks. */
  async run(context) {
    const { config, output, service } = context;
    if (config.settings.dryRun) {
      if (config.settings.baseUrl === undefined) refuseDryRun(context);
      await service["sender-id.list"]({ query: { perPage: 1 } });
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
    await output.report({
      message,
      ...(error === undefined ? {} : { error }),
      data: { checks },
      text: (surface) => listText(checks, surface),
      records: { items: checks, view: checkView },
    });
    if (error === undefined) await output.say(message);
    else await output.printError(message);
    return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
  },
});

/** A check as it is printed. */
type ShownCheck = Omit<CheckResult, "kind">;

/** Returns the failed check with the highest exit code: later checks depend on earlier ones. */
function errorOf(results: readonly CheckResult[]): ReportedError | undefined {
  const errors = results.flatMap(({ kind, fix }) =>
    kind === null ? [] : [{ kind, hint: fix === null ? undefined : safeText(fix) }],
  );
  const highest = Math.max(...errors.map(({ kind }) => exitCodeOfKind(kind)));
  return errors.find(({ kind }) => exitCodeOfKind(kind) === highest);
}

function summary(results: readonly CheckResult[]): string {
  const parts = (["error", "warning"] as const).flatMap((status) => {
    const count = results.filter((result) => result.status === status).length;
    return count === 0 ? [] : counted(count, status);
  });
  return parts.join(", ") || "No problems found";
}

const checkView: RecordView = {
  key: "name",
  fields: {},
  columns: ["name", "status", "detail", "fix"],
};

const marks: Readonly<Record<ShownCheck["status"], readonly [mark: string, paint: keyof Style]>> = {
  ok: ["✓", "good"],
  warning: ["!", "waiting"],
  error: ["✗", "bad"],
};

/** Columns. With less room, the text is below the name of the check. */
const minTextWidth = 24;
const narrowMargin = 4;

/** Returns a line per check, its fix below; at a terminal with marks and colours, wrapped. */
async function listText(
  checks: readonly ShownCheck[],
  { width, style }: Surface,
): Promise<string[]> {
  await prepareToMeasure(checks.flatMap(({ detail, fix }) => [detail, fix ?? ""]));
  const room = width ?? Infinity;
  const nameWidth = Math.max(...checks.map(({ name }) => displayWidth(name)));
  return checks.flatMap(({ name, status, detail, fix }) => {
    const [mark, paint] = marks[status];
    const plain = status.padEnd(7);
    const word = width === undefined ? plain : `${mark} ${plain}`;
    const column = word.length + 2 + nameWidth + 2;
    const isNarrow = room - column < minTextWidth;
    const margin = isNarrow ? narrowMargin : column;
    const lines = fix === null ? [detail] : [detail, `fix: ${fix}`];
    const texts = lines.flatMap((line) => wrapWords(line, Math.max(1, room - margin)));
    const [first = "", ...others] = isNarrow ? ["", ...texts] : texts;
    return [
      `${style[paint](word)}  ${style.heading(name.padEnd(nameWidth))}  ${first}`,
      ...others.map((text) => `${" ".repeat(margin)}${text}`),
    ].map((line) => `${line.trimEnd()}\n`);
  });
}
