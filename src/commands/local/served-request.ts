import { operations } from "../../contract/operations.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Style } from "../../output/terminal.ts";
import type { RecordView, TimeView } from "../../output/views.ts";

/** The fields of a request as `local log` shows it. Fields that a log line omits are null. */
const fields = {
  time: textOf,
  method: textOf,
  /** Includes the query. */
  path: textOf,
  /** Null if no response was sent. */
  status: numberOf,
  ms: (value: unknown): number => numberOf(value) ?? 0,
  operation: textOf,
  key_id: numberOf,
  /** The injected fault. */
  fault: textOf,
  request_id: textOf,
  /** IP address. */
  client: textOf,
  /** Name of the server. */
  instance: textOf,
  /** Why the server could not carry it out. */
  cause: textOf,
  code: textOf,
  attempts: numberOf,
  waited_ms: numberOf,
} as const;

type LoggedFields = { readonly [Name in keyof typeof fields]: ReturnType<(typeof fields)[Name]> };

export interface LoggedRequest extends LoggedFields {
  readonly time: string;
  readonly method: string;
  readonly path: string;
}

/** Parses a log line; undefined if it is damaged or not a log line. */
export function readLogLine(line: string): LoggedRequest | undefined {
  let read: Readonly<Record<string, unknown>> | null;
  try {
    read = JSON.parse(line) as typeof read;
  } catch {
    return undefined;
  }
  const entries = Object.entries(fields).map(([name, fieldOf]) => [name, fieldOf(read?.[name])]);
  const request = Object.fromEntries(entries) as LoggedFields;
  const { time, method, path } = request;
  return time === null || method === null || path === null
    ? undefined
    : { ...request, time, method, path };
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
  const causes =
    cause === null ? [] : [style.bad(safeText(`${cause} ${request.code ?? ""}`.trimEnd()))];
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
  columns: Object.keys(fields),
};
