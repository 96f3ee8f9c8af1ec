import type { Context } from "../cli/capabilities.ts";
import type { Envelope, Page } from "../contract/records.ts";
import { succeeded, type Reply } from "../contract/service.ts";
import { exitCodeOfReply, exitCodes, type ExitCode } from "./exit-codes.ts";
import { dataText, indentedJson, jsonText } from "../contract/json-text.ts";
import { safeJson, safeText } from "./safe-text.ts";
import type { Surface } from "./table/table.ts";
import { lineFormat, linesOf, type Line, type Lines, type LinesFormat } from "./lines.ts";
import { localTime, memberCell, timeAsSent, type RecordView, type TimeView } from "./views.ts";
import { refusalLine } from "./refusal.ts";

/** True for text that holds a JSON object. */
export function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** An envelope on stdout: as it came, indented; made safe where a terminal shows it. */
export async function printJson(context: Context, json: string): Promise<void> {
  const text = indentedJson(json);
  await context.print(context.terminalWidth() === undefined ? text : safeJson(text));
}

/** A value on a line of stdout; made safe where a terminal shows it. */
export async function printJsonLine(context: Context, value: unknown): Promise<void> {
  const text = jsonText(value);
  await context.print(`${context.terminalWidth() === undefined ? text : safeJson(text)}\n`);
}

/** The answer of a command that is no operation of the service, or of one that was not carried out. */
export function envelopeText(message: string, data: unknown): string {
  return jsonText({ status: true, message, data } satisfies Envelope);
}

/** The same, to be shown as the service's own are. */
export function doneReply(message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return { status: 200, text: jsonText(envelope), envelope };
}

/** Shows a record that was created, fetched or updated. */
export async function showRecord(
  context: Context,
  reply: Reply,
  view: RecordView,
): Promise<ExitCode> {
  if (!succeeded(reply)) return showRefusal(context, reply);
  const { format } = context.settings;
  if (format === "json") return showEnvelope(context, reply);
  if (format !== "table") {
    const line = recordLine(reply);
    const { head, lines } = linesFor(context, format, view);
    await context.print(head(line) + lines([line]));
    return exitCodes.done;
  }
  const { recordTable } = await import("./table/table.ts");
  const surface = await surfaceOf(context);
  const times = timesOf(surface);
  const fields = Object.entries(reply.envelope!.data as object).map(([member, value]) =>
    memberCell(view, member, value, times),
  );
  await context.print(`${await recordTable(fields, surface)}\n`);
  await context.say(safeText(reply.envelope!.message));
  return exitCodes.done;
}

/** Shows one page, or a whole list, of records. */
export async function showPage(
  context: Context,
  reply: Reply,
  view: RecordView,
): Promise<ExitCode> {
  if (!succeeded(reply)) return showRefusal(context, reply);
  const { format } = context.settings;
  if (format === "json") return showEnvelope(context, reply);
  if (format !== "table") {
    const { head, lines } = linesFor(context, format, view);
    const all = linesOf(reply);
    await context.print(head(all[0]) + lines(all));
    return exitCodes.done;
  }
  const page = reply.envelope!.data as Page<Readonly<Record<string, unknown>>>;
  if (page.total === 0 && page.data.length === 0) {
    await context.say(`No ${view.many} yet · create one: ${view.toCreate}`);
    return exitCodes.done;
  }
  if (page.data.length > 0) {
    const { listTable } = await import("./table/table.ts");
    const surface = await surfaceOf(context);
    const times = timesOf(surface);
    const columns = view.columns.map((member) => ({
      label: view.members[member]!.label,
      ...view.members[member]!.column,
    }));
    const rows = page.data.map((record) =>
      view.columns.map((member) => memberCell(view, member, record[member], times)[1]),
    );
    await context.print(`${await listTable(columns, rows, surface)}\n`);
  }
  await context.say(pageLine(page));
  return exitCodes.done;
}

/** How records are shown as lines. */
export function linesFor(context: Context, format: LinesFormat, view: RecordView): Lines {
  return lineFormat(format, view, context.terminalWidth() !== undefined);
}

function recordLine(reply: Reply): Line {
  return { record: reply.envelope!.data as Line["record"], text: dataText(reply.text) };
}

function pageLine(page: Page<unknown>): string {
  const place = `Page ${page.current_page} of ${page.last_page}`;
  const count = `${page.data.length} of ${page.total}`;
  if (page.current_page > page.last_page) return `${place} · ${count} · the last has the oldest`;
  const isAll = page.data.length >= page.total;
  return [place, count, ...(isAll ? [] : ["--all for the rest"])].join(" · ");
}

/** Shows that something was done which leaves nothing to show. */
export async function showDone(context: Context, reply: Reply): Promise<ExitCode> {
  if (!succeeded(reply)) return showRefusal(context, reply);
  if (context.settings.format === "json") return showEnvelope(context, reply);
  await context.say(safeText(reply.envelope!.message));
  return exitCodes.done;
}

/** Shows that a delete was not confirmed. */
export async function declined(context: Context): Promise<ExitCode> {
  const message = "Nothing deleted";
  if (context.settings.format === "json") await printJson(context, envelopeText(message, null));
  await context.say(message);
  return exitCodes.done;
}

async function showEnvelope(context: Context, reply: Reply): Promise<ExitCode> {
  await printJson(context, reply.text);
  return exitCodes.done;
}

/** Shows what the service refused, and why. */
export async function showRefusal(context: Context, reply: Reply): Promise<ExitCode> {
  const line = refusalLine(reply);
  if (context.settings.format === "json") {
    const failure = { status: false, message: line, data: null, error: { kind: "invalid" } };
    await printJson(context, isJson(reply.text) ? reply.text : JSON.stringify(failure));
  }
  await context.complain(line);
  return exitCodeOfReply(reply);
}

async function surfaceOf(context: Context): Promise<Surface> {
  return { width: context.terminalWidth(), style: await context.style() };
}

/** Local time for a person at a terminal, as sent elsewhere. */
function timesOf({ width }: Surface): TimeView {
  return width === undefined ? timeAsSent : localTime;
}
