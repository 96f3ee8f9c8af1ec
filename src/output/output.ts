import { type Page, type Reply, parseJson } from "../contract/service.ts";
import { indentedJson } from "../core/json-text.ts";
import type { Runtime } from "../core/runtime.ts";
import { safeText } from "../core/text.ts";
import {
  type Line,
  type RecordSource,
  doneReply,
  lineOf,
  linesOf,
  missingText,
} from "../service/lines.ts";
import {
  failureOf,
  failureText,
  refusalEnvelope,
  successOf,
  type Refusal,
} from "../service/refusals.ts";
import { type ExitCode, exitCodeOfKind, exitCodes } from "./exit-codes.ts";
import {
  type Format,
  type FormatName,
  type Printer,
  type Report,
  type ShowOptions,
  formatRefusal,
  queryRefusal,
} from "./formats/format.ts";
import { type FormatOptions, formatLoader } from "./formats/formats.ts";
import { mapped } from "./formats/line-format.ts";
import { createPaging, type ScreenOptions, createScreen } from "./screen.ts";
import { holdLines } from "./held-lines.ts";
import type { Secrets } from "../core/secrets.ts";
import { accepted, type RecordView } from "./views.ts";
import type { Writers } from "./writer.ts";

interface OutputOptions extends ScreenOptions, FormatOptions {
  readonly format: FormatName;
  /** Whether only the environment selects the format. */
  readonly isFormatOfEnvironment: boolean;
  /** The database, if the command works on the embedded engine. */
  readonly database: string | undefined;
}

/** The output of a command. Handles the format, the terminal and unsafe text. */
export type Output = ReturnType<typeof createOutput>;

/**
 * Creates the output of a command.
 *
 * @throws SendctlError "usage" for --csv-safe or --query with a format that does not support it
 */
export function createOutput(
  runtime: Runtime,
  writers: Writers,
  secrets: Secrets,
  options: OutputOptions,
) {
  let name = options.format;
  const { query, database } = options;
  const redact = createRedact(secrets);
  const { printer, ...screen } = createScreen(runtime, writers, options, secrets.hide);
  const { say, printError } = screen;
  let loaded: Format | undefined;
  let loadFormat = formatLoader(name, options);
  const load = async (): Promise<Format> => (loaded ??= await loadFormat());

  /** Prints why a request was refused on stderr. */
  const printRefusal = async (refusal: Refusal): Promise<ExitCode> => {
    const hint = refusal.hint === undefined ? "" : `\nhint: ${safeText(refusal.hint)}`;
    await printError(`${failureText(refusal, database)}${hint}`);
    return exitCodeOfKind(refusal.kind);
  };
  const live = (format: Format, view: RecordView) => liveLines(format, view, printer, redact.line);
  const paging = createPaging(options.isPlain, runtime, secrets.hide, printer);
  return {
    ...screen,
    redraw: (isDue: boolean, header?: string): void => {
      paging.repeat();
      screen.redraw(isDue, header);
    },
    /** Shows a record that was created, fetched or updated. */
    record: async (reply: Reply, view: RecordView, shown: ShowOptions = {}): Promise<ExitCode> => {
      const said =
        reply.status === 202 && shown.done !== undefined ? { ...shown, done: accepted } : shown;
      await (await load()).record(redact.reply(successOf(reply)), view, printer, said);
      return exitCodes.done;
    },
    /** Shows one page, or a whole list. */
    page: async (reply: Reply, view: RecordView, shown: ShowOptions = {}): Promise<ExitCode> => {
      const page = redact.reply(successOf(reply));
      const { data, total } = page.envelope!.data as Page<unknown>;
      const content = { message: "", count: data.length, total, text: page.text };
      const { list } = await load();
      await paging.show((to) => list({ ...content, lines: linesOf(page) }, view, to, shown));
      const missing = shown.isNarrated === false ? undefined : missingText(reply);
      if (missing !== undefined) await say(missing);
      return exitCodes.done;
    },
    /** Shows all records, as they arrive if the format allows it. */
    stream: async (
      source: RecordSource,
      view: RecordView,
      shown: ShowOptions = {},
    ): Promise<ExitCode> => {
      const format = await load();
      if (format.needsAll === undefined) {
        const { show, end } = await live(format, view);
        await source({ add: show });
        await end();
        return exitCodes.done;
      }
      const held = holdLines();
      const add = async (lines: readonly Line[]) => held.add(lines.map(redact.line));
      const message = secrets.hideValue(await source({ add, clear: held.clear }));
      const count = held.count();
      const content = { message, count, total: count, lines: held };
      await paging.show((to) => format.list(content, view, to, shown));
      return exitCodes.done;
    },
    /** Returns a function that shows records of an endless list. */
    live: async (view: RecordView) => {
      const { show } = await live(await load(), view);
      return (records: readonly object[]): Promise<void> => show(records.map(lineOf));
    },
    /** Shows a success without a record. @param text (default: the message of the reply) */
    done: async (given: Reply, text?: string): Promise<ExitCode> => {
      const reply = redact.reply(successOf(given));
      const { envelope, report } = await load();
      const done = text ?? reply.envelope!.message;
      const said = reply.status === 202 ? `${done}: ${accepted}` : done;
      if (query !== undefined) await report(reply.envelope!, printer);
      else await envelope?.(reply.text, printer);
      if (envelope === undefined) await say(safeText(said));
      return exitCodes.done;
    },
    /** Shows why the service refused a request. */
    refusal: async (refused: Refusal): Promise<ExitCode> => {
      const reply = redact.reply(refused.reply);
      const { hint } = refused;
      const shown = reply === refused.reply ? refused : failureOf(reply, hint);
      await (await load()).envelope?.(refusalEnvelope(shown), printer);
      return printRefusal(shown);
    },
    /** Shows any response unchanged, JSON or not. @param hint what to do about a refusal */
    response: async (given: Reply, hint?: string): Promise<ExitCode> => {
      const { envelope, report } = await load();
      const reply = redact.reply(given);
      const { status, text } = reply;
      const isDone = status >= 200 && status < 300 && reply.envelope?.status !== false;
      const body = text === "" ? null : text;
      const data = await parseJson(text);
      if (query !== undefined && isDone && data !== undefined) {
        await report(reply.envelope ?? { message: "", data }, printer);
      } else if (envelope !== undefined && !isDone) {
        await envelope(refusalEnvelope(failureOf(reply, hint), body), printer);
      } else if (data !== undefined) await printer.printJson(indentedJson(text));
      else if (envelope !== undefined) {
        await envelope(doneReply(`The response (HTTP ${status}) is not JSON`, body).text, printer);
      } else if (body !== null) await printer.printRaw(`${body}\n`);
      return isDone ? exitCodes.done : printRefusal(failureOf(reply, hint));
    },
    /** Shows the result of a command that is not an operation of the service. */
    report: async (report: Report): Promise<void> =>
      (await load()).report(redact.report(report), printer),
    /** Shows a completed step at once; without support, the report contains it. */
    event: async (record: object, text?: string): Promise<void> =>
      (await load()).event?.(secrets.hideValue(record), text, printer),
    /** The database, if the command works on the embedded engine. */
    database,
    /** The expression of `--query`, which takes every record. */
    query,
    /** Returns whether a text contains a secret, which would be hidden if it were printed. */
    hasSecret: secrets.isIn,
    /** Prints text that is the same in every format. */
    raw: printer.printRaw,
    /**
     * Returns the format: one of the names; the first replaces one of the environment.
     *
     * @param noun for the error: "a plan"
     * @param takesQuery whether `--query` applies
     * @throws SendctlError "usage" if it is none of the names
     */
    supports: <Name extends FormatName>(
      noun: string,
      names: readonly Name[],
      takesQuery = true,
    ): Name => {
      if (query !== undefined && !takesQuery) throw queryRefusal(noun);
      const found = names.find((supported) => supported === name);
      if (found !== undefined) return found;
      if (!options.isFormatOfEnvironment) throw formatRefusal(noun, name, names);
      name = names[0]!;
      loadFormat = formatLoader(name, options);
      return names[0]!;
    },
    /** Prints a warning on stderr, unless `--quiet` is set. */
    warn: (line: string): Promise<void> => say(`Warning: ${line}`),
  };
}

/** Returns a printer of lines as they come, which begins the format before the first. */
async function liveLines(
  format: Format,
  view: RecordView,
  printer: Printer,
  redacted: (line: Line) => Line,
) {
  const { head, lines } = await format.lines(view, printer);
  const print = format.isJson === true ? printer.printJson : printer.print;
  let begin: typeof head | undefined = head;
  const show = async (added: readonly Line[]): Promise<void> => {
    if (added.length === 0) return;
    const shown = added.map(redacted);
    await print((begin?.(shown[0]) ?? "") + lines(shown));
    begin = undefined;
  };
  return { show, end: () => print(begin?.(undefined) ?? "") };
}

/**
 * Creates the functions that remove secrets from data. They run before formatting, because a table
 * wraps texts and YAML quotes them, and return data without secrets unchanged.
 */
function createRedact({ hideJson, hideReply, hideValue, isEmpty }: Secrets) {
  return {
    reply: (reply: Reply): Reply => {
      const text = hideReply(reply.text);
      if (text === reply.text) return reply;
      return { ...reply, text, envelope: hideValue(reply.envelope) };
    },
    line: (line: Line): Line => {
      // Not every format needs the text, and extracting it from a page is expensive.
      if (isEmpty()) return line;
      const text = hideJson(line.text);
      return text === line.text ? line : { record: hideValue(line.record), text };
    },
    report: (report: Report): Report => {
      const { message, data, records } = report;
      const redacted = { ...report, message: hideValue(message), data: hideValue(data) };
      if (records === undefined) return redacted;
      return { ...redacted, records: { ...records, items: mapped(records.items, hideValue) } };
    },
  };
}
