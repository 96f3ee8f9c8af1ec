import { operations } from "../contract/operations.ts";
import { safeText } from "../output/safe-text.ts";
import type { Style } from "../output/style.ts";
import type { RecordView, TimeView } from "../output/views.ts";

/** One served request, including those that got no response because of an injected fault. */
export interface RequestLogEntry {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly operation: string | undefined;
  readonly caller: string | undefined;
  readonly fault: string | undefined;
  /** Why the database could not be used; printed, not logged. */
  readonly problem: string | undefined;
}

/** A request as `local log` shows it: with every field, even those omitted from the log line. */
export interface LoggedRequest {
  readonly time: string;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  /** Null if no response was sent. */
  readonly status: number | null;
  readonly ms: number;
  readonly operation: string | null;
  readonly key_id: number | null;
  /** The injected fault. */
  readonly fault: string | null;
}

/** The last formatted time, cached because many requests are served in the same millisecond. */
const clock = { time: 0, text: "" };

function timeText(): string {
  const time = Date.now();
  if (clock.time !== time) Object.assign(clock, { time, text: new Date(time).toISOString() });
  return clock.text;
}

/**
 * Returns the fields that every line starts with. Concatenated by hand for speed; most parts never need
 * escaping.
 */
function linePrefix({ method, status, milliseconds }: RequestLogEntry, path: string): string {
  const ms = Math.round(milliseconds * 10) / 10;
  return `{"time":"${timeText()}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms}`;
}

function lineSuffix({ fault }: RequestLogEntry): string {
  return fault === undefined ? "}" : `,"fault":${JSON.stringify(fault)}}`;
}

/** Returns the log line of a request. Undefined fields are omitted. */
export function logLine(served: RequestLogEntry): string {
  const { path, query, operation, caller } = served;
  const prefix = linePrefix(served, query === "" ? path : `${path}?${query}`);
  const operationField = operation === undefined ? "" : `,"operation":"${operation}"`;
  const key = caller === undefined ? "" : `,"key_id":${caller}`;
  return `${prefix}${operationField}${key}${lineSuffix(served)}`;
}

/** Returns the shorter line printed on stderr, without query, operation and key. */
export function stderrLine(served: RequestLogEntry): string {
  return `${linePrefix(served, served.path)}${lineSuffix(served)}`;
}

/** Parses a log line; undefined if it is damaged or not a log line. */
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

/** Returns whether a value is a finite number; JSON.parse turns 1e999 into Infinity. */
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** The longest name of an operation, in characters. */
const operationWidth = Math.max(...Object.keys(operations).map(({ length }) => length));

/** Formats a request for a terminal, with columns of variable width last. */
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

/** The view of requests in every output format. */
export const requestView: RecordView = {
  one: "request",
  many: "requests",
  toCreate: "sendctl serve",
  key: "path",
  fields: {},
  line: (record, times, style) => requestLine(record as unknown as LoggedRequest, times, style),
  columns: ["time", "method", "path", "status", "ms", "operation", "key_id", "fault"],
};
