import type { Context } from "../../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { safeText } from "../../../output/safe-text.ts";
import { declined, doneReply, printJson, showDone, showRecord } from "../../../output/answer.ts";
import { lineFormat } from "../../../output/lines.ts";
import { checkView, databaseView, heldText, isNothing } from "./views.ts";
import { memberCell, timeAsSent } from "../../../output/views.ts";

interface ResetOptions {
  readonly yes?: boolean;
  readonly keepKeys?: boolean;
}

const notMade = "Not made yet: the first command that needs it makes it";

export async function showInfo(context: Context): Promise<ExitCode> {
  const info = await (await context.localDatabase()).info();
  const message = info.exists ? "Database retrieved" : notMade;
  return showRecord(context, doneReply(message, info), databaseView);
}

interface Told {
  readonly check: string;
  readonly status: "ok" | "fault";
  readonly detail: string;
}

/** Says what is wrong with the database, a line a fault; ends as a damaged database ends a command. */
export async function check(context: Context): Promise<ExitCode> {
  const report = await (await context.localDatabase()).check();
  const { database, exists, checks, fault_count, faults } = report;
  const message = exists ? summary(database, fault_count) : notMade;
  const told = checks.flatMap((name): Told[] => {
    const found = faults.filter((fault) => fault.check === name);
    if (found.length === 0) return [{ check: name, status: "ok", detail: "whole" }];
    return found.map(({ detail }) => ({ check: name, status: "fault", detail }));
  });
  const status = fault_count === 0;
  if (context.settings.format === "json") {
    const data = { database, exists, fault_count, faults };
    const error = status ? {} : { error: { kind: "database" } };
    await printJson(context, JSON.stringify({ status, message, data, ...error }));
  } else if (exists) await printChecks(context, told);
  if (status) await context.say(safeText(message));
  else await context.complain(safeText(message));
  return status ? exitCodes.done : exitCodes.database;
}

function summary(database: string, faults: number): string {
  if (faults === 0) return "The database is whole";
  const count = faults === 1 ? "1 fault" : `${faults} faults`;
  const mend = "restore it from a backup (sendctl local restore FILE)";
  return `The database ${database} has ${count}: ${mend}`;
}

async function printChecks(context: Context, told: readonly Told[]): Promise<void> {
  const { format } = context.settings;
  const width = context.terminalWidth();
  if (format !== "table" && format !== "json") {
    const lines = told.map((one) => ({ record: { ...one }, text: JSON.stringify(one) }));
    const shown = lineFormat(format, checkView, width !== undefined);
    return context.print(shown.head(lines[0]) + shown.lines(lines));
  }
  const { listTable } = await import("../../../output/table/table.ts");
  const surface = { width, style: await context.style() };
  const columns = checkView.columns.map((member) => ({
    label: checkView.members[member]!.label,
    ...checkView.members[member]!.column,
  }));
  const rows = told.map((one) =>
    Object.entries(one).map(
      ([member, value]) => memberCell(checkView, member, value, timeAsSent)[1],
    ),
  );
  await context.print(`${await listTable(columns, rows, surface)}\n`);
}

/** Empties the database, once that is confirmed. */
export async function reset(
  context: Context,
  { yes = false, keepKeys = false }: ResetOptions,
): Promise<ExitCode> {
  const keeping = await context.localDatabase();
  const info = await keeping.info();
  if (!info.exists)
    return showDone(context, doneReply("Nothing to reset: it is not made yet", null));
  if (!yes && !isNothing(info)) {
    const prompter = context.prompter();
    if (prompter === undefined)
      throw new SendctlError("usage", "A reset has to be confirmed: give --yes");
    const but = keepKeys ? ", but keys and their integrations" : "";
    const what = `all that ${safeText(info.database)} holds${but}: ${heldText(info)}`;
    if (!(await prompter.confirm(`Delete ${what}?`))) return declined(context);
  }
  const held = await keeping.reset(keepKeys);
  if (held === undefined) return showDone(context, doneReply("Nothing to reset: it is gone", null));
  await context.say(`It held ${heldText(held)}`);
  return showDone(context, doneReply("Database reset", { database: info.database, held }));
}
