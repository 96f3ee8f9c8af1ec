import type { RequestLogEntry } from "../contract/served-request.ts";
import type { RetryLogEntry } from "./retry-log-entry.ts";

/** The last formatted time, cached because many requests are served in the same millisecond. */
const clock = { time: 0, text: "" };

function timeText(): string {
  const time = Date.now();
  if (clock.time !== time) Object.assign(clock, { time, text: new Date(time).toISOString() });
  return clock.text;
}

/** Rounds milliseconds to tenths. */
function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/**
 * Returns the log line of a request, without undefined fields. Concatenated by hand for speed: only path and fault may
 * need escaping.
 *
 * @param instance name of the server, which needs no escaping
 * @param path with or without the query
 */
export function logLine(served: RequestLogEntry, instance: string, path: string): string {
  const { requestId, client, method, status, milliseconds, operation, caller, fault } = served;
  const clientField = client === undefined ? "" : `,"client":"${client}"`;
  const operationField = operation === undefined ? "" : `,"operation":"${operation}"`;
  const keyField = caller === undefined ? "" : `,"key_id":${caller}`;
  const failureFields = served.failure === undefined ? "" : failureText(served.failure);
  const faultField = fault === undefined ? "" : `,"fault":${JSON.stringify(fault)}`;
  return `{"time":"${timeText()}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${tenths(milliseconds)},"request_id":"${requestId}","instance":"${instance}"${clientField}${operationField}${keyField}${failureFields}${faultField}}`;
}

function failureText({ cause, code, attempts, waited }: NonNullable<RequestLogEntry["failure"]>) {
  const codeField = code === undefined ? "" : `,"code":"${code}"`;
  const attemptsField = attempts === undefined ? "" : `,"attempts":${attempts}`;
  const waitedField = waited === undefined ? "" : `,"waited_ms":${tenths(waited)}`;
  return `,"cause":"${cause}"${codeField}${attemptsField}${waitedField}`;
}

/** Returns the log line of a retry. @param instance name of the server */
export function retryLine(retry: RetryLogEntry, instance: string): string {
  const { work, requests, code, attempt, waited } = retry;
  return JSON.stringify({
    time: timeText(),
    event: "retry",
    instance,
    work,
    requests,
    code,
    attempt,
    waited_ms: tenths(waited),
  });
}
