import type { Session } from "../../command/session.ts";
import { type ExitCode, exitCodeOfKind, exitCodes } from "../../output/exit-codes.ts";
import { SendctlError, isStop } from "../../core/error.ts";
import type { LogReader } from "../../server/request-log.ts";
import { lineOf, onePageReply } from "../../service/lines.ts";
import { wholeNumber } from "../../command/arguments.ts";
import { defineCommand, flag, text } from "../../command/define-command.ts";
import { operations } from "../../contract/operations.ts";
import { safeText } from "../../core/text.ts";
import type { Style } from "../../output/terminal.ts";
import type { RecordView, TimeView } from "../../output/views.ts";

/** The fields of a request in `local log`, and their types. Fields that a line omits are null. */
const fields = {
  time: "string",
  method: "string",
  /** Includes the query. */
  path: "string",
  /** Null if no response was sent. */
  status: "number",
  ms: "number",
  operation: "string",
  key_id: "number",
  /** The injected fault. */
  fault: "string",
  request_id: "string",
  /** IP address. */
  client: "string",
  /** Why the server could not carry it out. */
  cause: "string",
  code: "string",
  /** Of `serve --log-bodies`. */
  body: "string",
  response: "string",
} as const;

type ValueOf<Type> = (Type extends "string" ? string : number) | null;
type Fields = { readonly [Name in keyof typeof fields]: ValueOf<(typeof fields)[Name]> };
type LoggedRequest = Fields & { time: string; method: string; path: string; ms: number };

/** Parses a log line; undefined if it is damaged or not a log line. */
function readLogLine(line: string): LoggedRequest | undefined {
  let read: Readonly<Record<string, unknown>> | null;
  try {
    read = JSON.parse(line) as typeof read;
  } catch {
    return undefined;
  }
  const values = Object.entries(fields).map(([name, type]) => {
    const value = read?.[name];
    // JSON.parse turns 1e999 into Infinity.
    const isValid = type === "number" ? Number.isFinite(value) : typeof value === "string";
    return [name, isValid ? value : null];
  });
  const request = Object.fromEntries(values) as Fields;
  const { time, method, path, ms } = request;
  if (time === null || method === null || path === null) return undefined;
  return { ...request, time, method, path, ms: ms ?? 0 };
}

/** Returns the requests in lines of a log. */
function requestsIn(lines: readonly string[]): LoggedRequest[] {
  return lines.flatMap((line) => readLogLine(line) ?? []);
}

/** The longest name of an operation, in characters. */
const operationWidth = Math.max(...Object.keys(operations).map(({ length }) => length));

/** Formats a request for a terminal, with columns of variable width last. */
function requestLine(request: LoggedRequest, times: TimeView, style: Style): string {
  const { time, method, path, status, ms, operation, key_id: key, fault, cause } = request;
  const parts = [
    style.faint(safeText(times(time))),
    colourOf(status, style)(String(status ?? "-").padStart(3)),
    `${ms.toFixed(1).padStart(7)} ms`,
    (key === null ? "" : `key ${key}`).padEnd(6),
    safeText(operation ?? "-").padEnd(operationWidth),
    safeText(method).padEnd(6),
    safeText(path),
  ];
  const causes =
    cause === null ? [] : [style.bad(safeText(`${cause} ${request.code ?? ""}`.trimEnd()))];
  const faults = fault === null ? [] : [style.waiting(`fault ${safeText(fault)}`)];
  return [parts.join("  "), ...causes, ...faults].join(" · ");
}

function colourOf(status: number | null, style: Style): (text: string) => string {
  if (status === null || status >= 500) return style.bad;
  return status >= 400 ? style.waiting : style.good;
}

/** Returns the lines of the bodies below a request; "" without any. */
function bodyLines({ body, response }: Partial<LoggedRequest>): string {
  const lines = [
    [">", body],
    ["<", response],
  ];
  return lines
    .flatMap(([mark, text]) => (text == null ? [] : [`\n  ${mark} ${safeText(text)}`]))
    .join("");
}

/** The view of requests in every output format. */
const requestView: RecordView = {
  key: "path",
  fields: {},
  line: (record, times, style) => {
    const request = record as unknown as LoggedRequest;
    return requestLine(request, times, style) + bodyLines(request);
  },
  columns: Object.keys(fields),
};

export const localLog = defineCommand({
  path: "local log",
  summary: "Show the log of served requests",
  description:
    "Show the requests that `sendctl serve` handled on this database, newest last, without keys, and with the bodies that --log-bodies logged. The log is stored beside the database and keeps the last 8 to 16 MiB.",
  options: {
    lines: text("--lines <n>", "number of requests to show (default: 50)"),
    follow: flag("-f, --follow", "keep printing new requests until interrupted"),
  },
  examples: ["sendctl local log", "sendctl local log --lines 5 --json"],
  async run(context, _, options) {
    const { config, local, output } = context;
    const database = safeText(config.settings.database);
    const nothingYet = `No requests to ${database} yet; \`sendctl serve\` logs them`;
    const count = wholeNumber(options.lines, "--lines", 0) ?? 50;
    const reader = await local.readLog();
    const requests = lastRequests(reader.lines, count);
    if (options.follow) {
      if (!reader.exists) await output.say(`${nothingYet}; waiting for the first`);
      return follow(context, reader, requests);
    }
    if (!reader.exists) await output.say(nothingYet);
    const reply = onePageReply("Requests retrieved", requests.map(lineOf));
    return output.page(reply, requestView, { isNarrated: false });
  },
});

/** The interval between reads of new lines, in milliseconds. */
const interval = 200;

/** Returns the last requests in a log, newest last. */
function lastRequests(lines: readonly string[], count: number): LoggedRequest[] {
  const found: LoggedRequest[] = [];
  for (let index = lines.length - 1; index >= 0 && found.length < count; index -= 1) {
    found.push(...requestsIn([lines[index]!]));
  }
  return found.toReversed();
}

/**
 * Shows new requests until a signal comes or the reader of standard output closes it. `-o json`
 * prints one object per line, because an envelope would never end.
 */
async function follow(
  context: Session,
  reader: LogReader,
  before: readonly LoggedRequest[],
): Promise<ExitCode> {
  const show = await context.output.live(requestView);
  let requests = before;
  try {
    while (!context.output.isUnread()) {
      if (requests.length > 0) await show(requests);
      else await context.clock.sleep(interval);
      requests = requestsIn(reader.added());
    }
    return exitCodes.done;
  } catch (error) {
    if (error instanceof SendctlError && isStop(error.kind)) return exitCodeOfKind(error.kind);
    throw error;
  }
}
