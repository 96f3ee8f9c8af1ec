import { SendctlError } from "../core/error.ts";
import { succeeded, type Reply } from "../contract/service.ts";
import { exitCodeOfReply, exitCodes, type ExitCode } from "./exit-codes.ts";
import type { Format, Report, Sheet } from "./formats/format.ts";
import { formatLoader, formatNames, type FormatName } from "./formats/formats.ts";
import { printJson } from "./formats/json.ts";
import { holdLines } from "./held-lines.ts";
import type { Output } from "./output.ts";
import { createProgress, createStatusLine, type Progress, type StatusLine } from "./progress.ts";
import { jsonObject, refusalEnvelope, refusalText } from "../service/refusals.ts";
import { doneReply, lineOf, missingText, type Line } from "../service/lines.ts";
import { safeLines, safeText } from "../core/safe-text.ts";
import type { Secrets } from "./secrets.ts";
import type { Style } from "./style.ts";
import type { RecordView } from "./views.ts";
import { wrapLines } from "./table/wrap-lines.ts";
import type { Write, Writer } from "./writer.ts";

/** The streams that output goes to, and their properties. */
export interface Channels {
  readonly out: Writer;
  readonly err: Writer;
  /** Columns of the terminal that shows stdout; undefined if it is not a terminal. */
  readonly width: () => number | undefined;
  readonly isStderrTerminal: () => boolean;
  /** Columns of the terminal that shows stderr; undefined if it is not a terminal. */
  readonly messageWidth: () => number | undefined;
  /** Returns the colours. @param isTerminal whether a terminal shows the text */
  readonly style: (isTerminal: boolean) => Promise<Style>;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  readonly secrets: Secrets;
  /** Whether CSV cells are protected from being read as formulas. */
  readonly isCsvSafe: boolean;
  /** JMESPath expression whose result is printed instead of records. */
  readonly query: string | undefined;
}

/**
 * Creates the output of a command.
 *
 * @param isQuiet whether only errors are written to stderr
 * @throws SendctlError "usage" for --csv-safe or --query with a format that does not support it
 */
export function createOutput(name: FormatName, isQuiet: boolean, channels: Channels): Output {
  const { out, err, width, isStderrTerminal, messageWidth, style, elapsed } = channels;
  const { secrets, isCsvSafe, query } = channels;
  const redact = createRedact(secrets);
  let shown: Progress | undefined;
  let status: StatusLine | undefined;
  let isRedrawn = false;
  const clearScreen = async (): Promise<void> => {
    if (!isRedrawn) return;
    isRedrawn = false;
    await out.clearScreen();
  };
  /** Writes to stderr. Progress and other lines share the terminal, so they are removed first. */
  const narrate = async (message: string): Promise<void> => {
    const text = await wrapLines(message, messageWidth());
    await shown?.done();
    await clearScreen();
    // Both at once, because the timer of the status line could draw in between.
    await Promise.all([status?.clear(), err.write(text)]);
  };
  const say: Output["say"] = async (line) => {
    // The reader has closed stdout and needs no more messages.
    if (isQuiet || out.isGone()) return;
    await narrate(`${typeof line === "string" ? line : line(await style(isStderrTerminal()))}\n`);
  };
  const printError: Output["printError"] = (line) => narrate(`sendctl: ${line}\n`);
  const printing =
    (write: Write): Write =>
    async (text) => {
      if (width() !== undefined) {
        await shown?.done();
        await status?.clear();
        await clearScreen();
      }
      await write(text);
    };
  const sheet: Sheet = {
    print: printing(out.write),
    printJson: printing(out.writeJson),
    say,
    get width() {
      return width();
    },
    surface: async () => ({ width: width(), style: await style(width() !== undefined) }),
  };
  const raw: Output["raw"] = (text) => sheet.print(width() === undefined ? text : safeLines(text));
  let loaded: Format | undefined;
  const loadFormat = formatLoader(name, { isCsvSafe, query });
  const load = async (): Promise<Format> => (loaded ??= await loadFormat());

  const reportRefusal = (refused: Reply): Promise<void> => {
    const hint = refused.hint === undefined ? "" : `\nhint: ${safeText(refused.hint)}`;
    return printError(`${refusalText(refused)}${hint}`);
  };
  const refusal = async (refused: Reply): Promise<ExitCode> => {
    const reply = redact.reply(refused);
    await (await load()).envelope?.(refusalEnvelope(reply), sheet);
    await reportRefusal(reply);
    return exitCodeOfReply(reply);
  };
  const supports: Output["supports"] = (what, names) => {
    if (names.includes(name)) return;
    const last = names.at(-1);
    const others = names.slice(0, -1).join(", ");
    const hint = `use --output ${others === "" ? "" : `${others} or `}${last}`;
    throw new SendctlError("usage", `${what} cannot be printed as ${name}`, { hint });
  };
  const page: Output["page"] = async (reply, view, options = {}) => {
    if (!succeeded(reply)) return refusal(reply);
    await (await load()).page(redact.reply(reply), view, sheet, options);
    const missing = options.isNarrated === false ? undefined : missingText(reply);
    if (missing !== undefined) await say(missing);
    return exitCodes.done;
  };
  const live = async (format: Format, view: RecordView) => {
    const { head, lines } = await format.lines(view, sheet);
    let begin: typeof head | undefined = head;
    const print = format.isJson === true ? sheet.printJson : sheet.print;
    const show = async (some: readonly Line[]): Promise<void> => {
      if (some.length === 0) return;
      const shown = some.map(redact.line);
      await print((begin?.(shown[0]) ?? "") + lines(shown));
      begin = undefined;
    };
    return { show, end: () => print(begin?.(undefined) ?? "") };
  };

  return {
    record: async (reply, view, options) => {
      if (!succeeded(reply)) return refusal(reply);
      await (await load()).record(redact.reply(reply), view, sheet, options);
      return exitCodes.done;
    },
    page,
    stream: async (source, view, options = {}) => {
      const format = await load();
      const { whole, limit } = format;
      if (whole === undefined) {
        const { show, end } = await live(format, view);
        const read = await source({ add: show });
        if ("refusal" in read) return refusal(read.refusal);
        await end();
        return exitCodes.done;
      }
      const held = holdLines();
      const add = async (lines: readonly Line[]): Promise<void> => {
        held.add(lines.map(redact.line));
        if (limit !== undefined && held.count() > limit.records) throw limit.error();
      };
      const read = await source({ add, clear: held.clear });
      if ("refusal" in read) return refusal(read.refusal);
      const message = secrets.hideValue(read.message);
      await whole({ message, count: held.count(), lines: held }, view, sheet, options);
      return exitCodes.done;
    },
    live: async (view) => {
      const { show } = await live(await load(), view);
      return (records) => show(records.map(lineOf));
    },
    done: async (given) => {
      if (!succeeded(given)) return refusal(given);
      const reply = redact.reply(given);
      const { envelope } = await load();
      await (envelope?.(reply.text, sheet) ?? say(safeText(reply.envelope!.message)));
      return exitCodes.done;
    },
    declined: (message) => Promise.reject(new SendctlError("cancelled", message)),
    refusal,
    response: async (given) => {
      const { envelope } = await load();
      const reply = redact.reply(given);
      const { status, text } = reply;
      const isDone = status >= 200 && status < 300 && reply.envelope?.status !== false;
      const data = text === "" ? null : text;
      if (query !== undefined && isDone && jsonObject(text) !== undefined) {
        const { data: found, message } = reply.envelope ?? { message: "", data: jsonObject(text) };
        await (await load()).report({ message, data: found }, sheet);
        return exitCodes.done;
      }
      if (envelope !== undefined && !isDone) await envelope(refusalEnvelope(reply, data), sheet);
      else if (jsonObject(text) !== undefined) await printJson(text, sheet);
      else if (envelope !== undefined) {
        await envelope(doneReply(`The response (HTTP ${status}) is not JSON`, data).text, sheet);
      } else if (data !== null) await raw(`${data}\n`);
      if (isDone) return exitCodes.done;
      await reportRefusal(reply);
      return exitCodeOfReply(reply);
    },
    report: async (report) => (await load()).report(redact.report(report), sheet),
    event: async (record, text) => (await load()).event?.(secrets.hideValue(record), text, sheet),
    raw,
    supports,
    choose: (what, choices) => {
      supports(
        what,
        formatNames.filter((one) => choices[one] !== undefined),
      );
      return choices[name]!;
    },
    say,
    warn: (line) => say(`Warning: ${line}`),
    printError,
    redraw: () => void (isRedrawn = width() !== undefined),
    progress: () =>
      (shown = createProgress(createStatusLine(rewriteLine), elapsed, isStderrTerminal)),
    statusLine: () => (status ??= createStatusLine(rewriteLine)),
    isStderrTerminal,
    isUnread: out.isGone,
  };

  async function rewriteLine(text: string): Promise<void> {
    if (!isQuiet) await err.rewriteLine(text);
  }
}

/** Removes secrets from data before a format prints it. */
interface Redact {
  readonly reply: (reply: Reply) => Reply;
  readonly line: (line: Line) => Line;
  readonly report: (report: Report) => Report;
}

/**
 * Creates the functions that remove secrets from data. They run before formatting, because a table wraps texts and YAML
 * quotes them, and return data without secrets unchanged.
 */
function createRedact({ hideJson, hideReply, hideValue, isEmpty }: Secrets): Redact {
  const items = function* (all: Iterable<object>): Generator<object> {
    for (const item of all) yield hideValue(item);
  };
  return {
    reply: (reply) => {
      const text = hideReply(reply.text);
      if (text === reply.text) return reply;
      return { ...reply, text, envelope: hideValue(reply.envelope) };
    },
    line: (line) => {
      // Not every format needs the text, and extracting it from a page is expensive.
      if (isEmpty()) return line;
      const text = hideJson(line.text);
      return text === line.text ? line : { record: hideValue(line.record), text };
    },
    report: (report) => {
      const { message, records } = report;
      const shown = { ...report, message: hideValue(message), data: hideValue(report.data) };
      if (records === undefined) return shown;
      return { ...shown, records: { ...records, items: items(records.items) } };
    },
  };
}
