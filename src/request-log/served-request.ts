import { operations } from "../contract/operations.ts";
import { safeText } from "../output/safe-text.ts";
import type { Style } from "../output/style.ts";
import type { RecordView, TimeView } from "../output/views.ts";

/** One request that was answered, or was left without an answer on purpose. */
export interface RequestLogEntry {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly operation: string | undefined;
  readonly caller: string | undefined;
  readonly fault: string | undefined;
  /** Why the database could not be used; printed, not kept in the log. */
  readonly problem: string | undefined;
}

/** The same as `local log` shows it: every member, whatever the line of the log holds. */
export interface LoggedRequest {
  readonly time: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Null where no answer left. */
  readonly status: number | null;
  readonly ms: number;
  readonly operation: string | null;
  /** Id of the key. */
  readonly key_id: number | null;
  /** What went wrong on purpose. */
  readonly fault: string | null;
}

/** Many requests are answered in a millisecond. */
const clock = { time: 0, text: "" };

function timeText(): string {
  const time = Date.now();
  if (clock.time !== time) Object.assign(clock, { time, text: new Date(time).toISOString() });
  return clock.text;
}

/**
 * What every line begins with. Put together by hand: it is done for each request, and most of its parts
 * are known to need no escapes.
 */
function beginning({ method, status, milliseconds }: RequestLogEntry, path: string): string {
  const ms = Math.round(milliseconds * 10) / 10;
  return `{"time":"${timeText()}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms}`;
}

function ending({ fault }: RequestLogEntry): string {
  return fault === undefined ? "}" : `,"fault":${JSON.stringify(fault)}}`;
}

/** What a line of the log says; members that say nothing are left out. */
export function logLine(served: RequestLogEntry): string {
  const { path, query, operation, caller } = served;
  const begun = beginning(served, query === "" ? path : `${path}?${query}`);
  const about = operation === undefined ? "" : `,"operation":"${operation}"`;
  const key = caller === undefined ? "" : `,"key_id":${caller}`;
  return `${begun}${about}${key}${ending(served)}`;
}

/** The same for whoever reads along: without what only a log is searched for. */
export function narratedLine(served: RequestLogEntry): string {
  return `${beginning(served, served.path)}${ending(served)}`;
}

/** Undefined for a line that is damaged, or is no such line. */
export function readLogLine(line: string): LoggedRequest | undefined {
  let read: Partial<Record<keyof LoggedRequest, unknown>>;
  try {
    read = JSON.parse(line) as typeof read;
  } catch {
    return undefined;
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { time, method, path, status, ms, operation, key_id: key, fault } = read;
  if (typeof time !== "string" || typeof method !== "string" || typeof path !== "string") {
    return undefined;
  }
  return {
    time,
    method,
    path,
    status: isNumber(status) ? status : null,
    ms: isNumber(ms) ? ms : 0,
    operation: typeof operation === "string" ? operation : null,
    key_id: isNumber(key) ? key : null,
    fault: typeof fault === "string" ? fault : null,
  };
}

/** JSON can write numbers that are too large to be any. */
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** The longest name of an operation, in characters. */
const operationWidth = Math.max(...Object.keys(operations).map(({ length }) => length));

/** A line for people: what differs in length stands at its end. */
function requestLine(request: LoggedRequest, times: TimeView, style: Style): string {
  const { time, method, path, status, ms, operation, key_id: key, fault } = request;
  const parts = [
    style.faint(safeText(times(time))),
    colourOf(status, style)(String(status ?? "-").padStart(3)),
    `${ms.toFixed(1).padStart(7)} ms`,
    (key === null ? "" : `key ${key}`).padEnd(6),
    safeText(operation ?? "-").padEnd(operationWidth),
    safeText(method).padEnd(6),
    safeText(path),
  ];
  const line = parts.join("  ");
  return fault === null ? line : `${line} · ${style.waiting(`fault ${safeText(fault)}`)}`;
}

function colourOf(status: number | null, style: Style): (text: string) => string {
  if (status === null || status >= 500) return style.bad;
  return status >= 400 ? style.waiting : style.good;
}

/** Requests as jsonl, csv and id have them. */
export const requestView: RecordView = {
  one: "request",
  many: "requests",
  toCreate: "sendctl serve",
  key: "path",
  fields: {},
  line: (record, times, style) => requestLine(record as unknown as LoggedRequest, times, style),
  columns: ["time", "method", "path", "status", "ms", "operation", "key_id", "fault"],
};
