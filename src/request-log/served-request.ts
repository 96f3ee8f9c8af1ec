import { operations } from "../contract/operations.ts";
import { safeText } from "../output/safe-text.ts";
import type { Style } from "../output/style.ts";
import type { RecordView, TimeView } from "../output/views.ts";
import { failureWords } from "./request-log.ts";

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
  readonly request_id: string | null;
  /** IP address. */
  readonly client: string | null;
  /** Name of the server. */
  readonly instance: string | null;
  /** Why the server could not carry it out. */
  readonly cause: string | null;
  readonly code: string | null;
  readonly attempts: number | null;
  readonly waited_ms: number | null;
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
  const { time, method, path, ms } = read;
  if (typeof time !== "string" || typeof method !== "string" || typeof path !== "string") {
    return undefined;
  }
  return {
    time,
    method,
    path,
    status: numberOf(read.status),
    ms: numberOf(ms) ?? 0,
    operation: textOf(read.operation),
    key_id: numberOf(read.key_id),
    fault: textOf(read.fault),
    request_id: textOf(read.request_id),
    client: textOf(read.client),
    instance: textOf(read.instance),
    cause: textOf(read.cause),
    code: textOf(read.code),
    attempts: numberOf(read.attempts),
    waited_ms: numberOf(read.waited_ms),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Returns a finite number; JSON.parse turns 1e999 into Infinity. */
function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
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
  const causes = cause === null ? [] : [style.bad(safeText(failureWords(cause, request.code)))];
  const faults = fault === null ? [] : [style.waiting(`fault ${safeText(fault)}`)];
  return [parts.join("  "), ...causes, ...faults].join(" · ");
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
  columns: [
    "time",
    "method",
    "path",
    "status",
    "ms",
    "operation",
    "key_id",
    "fault",
    "request_id",
    "client",
    "instance",
    "cause",
    "code",
    "attempts",
    "waited_ms",
  ],
};
