import type { Diagnostic } from "../core/error.ts";
import type { Format, FormatName, Output, Printer, Report } from "./output.ts";
import { type Page, type Reply, parseJson, succeeded } from "../contract/service.ts";
import { indentedJson } from "../core/json-text.ts";
import { safeLines, safeText } from "../core/text.ts";
import { type Line, doneReply, lineOf, linesOf, missingText } from "../service/lines.ts";
import { refusalEnvelope, refusalText, trailText } from "../service/refusals.ts";
import { type ExitCode, exitCodeOfReply, exitCodes } from "./exit-codes.ts";
import { type FormatOptions, formatLoader } from "./formats/formats.ts";
import { formatRefusal, queryRefusal } from "./formats/refused-output.ts";
import { mapped } from "./formats/line-format.ts";
import { createPaging } from "./paging.ts";
import { holdLines } from "./held-lines.ts";
import type { Secrets } from "./secrets.ts";
import { accepted, type RecordView } from "./views.ts";
import {
  type Progress,
  type StatusLine,
  createProgress,
  createStatusLine,
} from "./status/progress.ts";
import { type Pager, type Style, wrapLines } from "./terminal.ts";
import type { Write, Writer } from "./writer.ts";

interface OutputOptions extends Channels, FormatOptions {
  readonly secrets: Secrets;
  /** Whether only the environment selects the format. */
  readonly isFormatOfEnvironment: boolean;
  /** Returns errors in files as GitHub Actions reads them; undefined elsewhere. */
  readonly annotations: ((diagnostics: readonly Diagnostic[]) => string) | undefined;
  /** The database, if the command works on the embedded engine. */
  readonly database: string | undefined;
  /** What shows lists at a terminal, if the user has chosen a pager. */
  readonly pager: Pager | undefined;
}

/**
 * Creates the output of a command.
 *
 * @param isQuiet whether only errors are written to stderr
 * @throws SendctlError "usage" for --csv-safe, --csv-bom or --query with a format that does not support it
 */
export function createOutput(given: FormatName, isQuiet: boolean, options: OutputOptions): Output {
  let name = given;
  const { secrets, query, database } = options;
  const redact = createRedact(secrets);
  const { printer, ...screen } = createScreen(isQuiet, options, secrets.hide);
  const { say, printError } = screen;
  let loaded: Format | undefined;
  let loadFormat = formatLoader(name, options);
  const load = async (): Promise<Format> => (loaded ??= await loadFormat());

  /** Prints why a request was refused on stderr. */
  const printRefusal = async (reply: Reply, isRemote = false): Promise<ExitCode> => {
    const hint = reply.hint === undefined ? "" : `\nhint: ${safeText(reply.hint)}`;
    const trail = trailText(reply.trail, screen.isStderrTerminal());
    await printError(`${refusalText(reply, isRemote ? undefined : database)}${trail}${hint}`);
    return exitCodeOfReply(reply);
  };
  const refusal: Output["refusal"] = async (refused, isRemote) => {
    const reply = redact.reply(refused);
    await (await load()).envelope?.(refusalEnvelope(reply), printer);
    return printRefusal(reply, isRemote);
  };
  const supports: Output["supports"] = (noun, names, takesQuery = true) => {
    if (query !== undefined && !takesQuery) throw queryRefusal(noun);
    const found = names.find((supported) => supported === name);
    if (found !== undefined) return found;
    if (options.isFormatOfEnvironment) {
      name = names[0]!;
      loadFormat = formatLoader(name, options);
      return names[0]!;
    }
    throw formatRefusal(noun, name, names);
  };
  const live = (format: Format, view: RecordView) => liveLines(format, view, printer, redact.line);
  const paging = createPaging(() => name, options, printer, say);
  return {
    ...screen,
    redraw: (isDue, line) => {
      paging.repeat(line);
      screen.redraw(isDue, line);
    },
    record: async (reply, view, shown = {}) => {
      if (!succeeded(reply)) return refusal(reply);
      const said =
        reply.status === 202 && shown.done !== undefined ? { ...shown, done: accepted } : shown;
      await (await load()).record(redact.reply(reply), view, printer, said);
      return exitCodes.done;
    },
    page: async (reply, view, shown = {}) => {
      if (!succeeded(reply)) return refusal(reply);
      const page = redact.reply(reply);
      const { data, total } = page.envelope!.data as Page<unknown>;
      const content = { message: "", count: data.length, total, text: page.text };
      const { list } = await load();
      await paging.show((to) => list({ ...content, lines: linesOf(page) }, view, to, shown));
      const missing = shown.isNarrated === false ? undefined : missingText(reply);
      if (missing !== undefined) await say(missing);
      return exitCodes.done;
    },
    stream: async (source, view, shown = {}) => {
      const format = await load();
      if (format.needsAll === undefined) {
        const { show, end } = await live(format, view);
        const read = await source({ add: show });
        if ("refusal" in read) return refusal(read.refusal);
        await end();
        return exitCodes.done;
      }
      const held = holdLines();
      const add = async (lines: readonly Line[]) => held.add(lines.map(redact.line));
      const read = await source({ add, clear: held.clear });
      if ("refusal" in read) return refusal(read.refusal);
      const message = secrets.hideValue(read.message);
      const count = held.count();
      const content = { message, count, total: count, lines: held };
      await paging.show((to) => format.list(content, view, to, shown));
      return exitCodes.done;
    },
    live: async (view) => {
      const { show } = await live(await load(), view);
      return (records) => show(records.map(lineOf));
    },
    done: async (given, text) => {
      if (!succeeded(given)) return refusal(given);
      const reply = redact.reply(given);
      const { envelope, report } = await load();
      const done = text ?? reply.envelope!.message;
      const said = reply.status === 202 ? `${done}: ${accepted}` : done;
      if (query !== undefined) await report(reply.envelope!, printer);
      else await envelope?.(reply.text, printer);
      if (envelope === undefined) await say(safeText(said));
      return exitCodes.done;
    },
    refusal,
    response: async (given) => {
      const { envelope, report } = await load();
      const reply = redact.reply(given);
      const { status, text } = reply;
      const isDone = status >= 200 && status < 300 && reply.envelope?.status !== false;
      const body = text === "" ? null : text;
      const data = await parseJson(text);
      if (query !== undefined && isDone && data !== undefined) {
        await report(reply.envelope ?? { message: "", data }, printer);
      } else if (envelope !== undefined && !isDone) {
        await envelope(refusalEnvelope(reply, body), printer);
      } else if (data !== undefined) await printer.printJson(indentedJson(text));
      else if (envelope !== undefined) {
        await envelope(doneReply(`The response (HTTP ${status}) is not JSON`, body).text, printer);
      } else if (body !== null) await printer.printRaw(`${body}\n`);
      return isDone ? exitCodes.done : printRefusal(reply);
    },
    report: async (report) => (await load()).report(redact.report(report), printer),
    event: async (record, text) => (await load()).event?.(secrets.hideValue(record), text, printer),
    database,
    query,
    annotate: async (diagnostics) => {
      const text = options.annotations?.(diagnostics) ?? "";
      await options.err.write(secrets.hide(text));
    },
    hasSecret: (text) => secrets.hide(text) !== text,
    raw: printer.printRaw,
    supports,
    warn: (line) => say(`Warning: ${line}`),
  };
}

/** Returns what prints lines as they come, with the beginning of their format before the first. */
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
 * Creates the functions that remove secrets from data. They run before formatting, because a table wraps texts and YAML
 * quotes them, and return data without secrets unchanged.
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

/** The streams that output goes to, and their properties. */
interface Channels {
  readonly out: Writer;
  readonly err: Writer;
  /** Columns of the terminal that shows stdout; undefined if it is not a terminal. */
  readonly width: () => number | undefined;
  /** Whether a terminal shows stdout, which may not have tables with borders. */
  readonly isScreen: () => boolean;
  /** Whether nothing is redrawn. */
  readonly isPlain: boolean;
  /** Rows of the terminal that shows stdout; undefined if it is not known. */
  readonly height: () => number | undefined;
  /** Columns of the terminal that shows stderr; undefined if it is not a terminal. */
  readonly messageWidth: () => number | undefined;
  /** Returns the colours. @param isTerminal whether a terminal shows the text */
  readonly style: (isTerminal: boolean) => Promise<Style>;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds between two lines of progress where nothing is redrawn. */
const lineInterval = 10_000;

/**
 * Creates what prints data and messages. They share the terminal with progress, so that is removed before them.
 *
 * @param isQuiet whether only errors are written to stderr
 * @param hide removes secrets, which a line break could divide
 */
function createScreen(isQuiet: boolean, channels: Channels, hide: (text: string) => string) {
  const { out, err, width, isScreen, isPlain, messageWidth, style, elapsed, now } = channels;
  let progress: Progress | undefined;
  let status: StatusLine | undefined;
  let isRedrawn = false;
  let header = "";
  const isStderrTerminal = (): boolean => messageWidth() !== undefined;
  let linedAt = -lineInterval;
  const rewriteLine: Write = async (text) => {
    if (isQuiet || !isStderrTerminal()) return;
    if (!isPlain) return err.rewriteLine(text);
    if (text === "" || elapsed() - linedAt < lineInterval) return;
    linedAt = elapsed();
    await err.write(`${text}\n`);
  };
  const clearScreen = async (): Promise<void> => {
    if (!isRedrawn) return;
    isRedrawn = false;
    if (!isPlain) await out.clearScreen();
    if (isStderrTerminal() && !isQuiet) await err.write(await wrapLines(header, messageWidth()));
  };
  const printMessage = async (message: string): Promise<void> => {
    const text = await wrapLines(hide(message), messageWidth());
    await progress?.done();
    // Both at once, because the timer of the status line could draw in between.
    await Promise.all([status?.clear(), err.write(text)]);
  };
  const printing =
    (write: Write): Write =>
    async (text) => {
      if (isScreen()) {
        await progress?.done();
        await status?.clear();
        await clearScreen();
      }
      await write(text);
    };
  const print = printing(out.write);
  const say: Output["say"] = async (line) => {
    // A reader that has closed stdout needs no more messages.
    if (isQuiet || (out.isGone() && out.failure() === undefined)) return;
    const text = typeof line === "string" ? line : line(await style(isStderrTerminal()));
    await printMessage(`${text}\n`);
  };
  const printer: Printer = {
    print,
    printJson: printing(out.writeJson),
    printRaw: (text) => print(isScreen() ? safeLines(text) : text),
    say: async (line) => {
      await clearScreen();
      await say(line);
    },
    get width() {
      return width();
    },
    get isScreen() {
      return isScreen();
    },
    now,
    surface: async () => ({ width: width(), style: await style(isScreen()) }),
  };
  return {
    printer,
    say,
    printError: (line: string) => printMessage(`sendctl: ${line}\n`),
    redraw: (isDue: boolean, line?: string) => {
      isRedrawn = isDue && isScreen();
      header = line === undefined ? "" : `${hide(line)}\n`;
    },
    progress: () => (progress = createProgress(createStatusLine(rewriteLine), elapsed)),
    statusLine: () => (status ??= createStatusLine(rewriteLine)),
    isStderrTerminal,
    isUnread: out.isGone,
    holdFailures: out.holdFailures,
  };
}
