import type { Reply } from "../contract/service.ts";
import type { ErrorKind } from "../contract/error.ts";
import type { Ended } from "../runtime/run-program.ts";

/** Exit codes, decided here and nowhere else. */
export const exitCodes = {
  done: 0,
  defect: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  conflict: 5,
  invalid: 6,
  rateLimited: 7,
  unavailable: 8,
  outcomeUnknown: 9,
  unexpectedResponse: 10,
  database: 11,
  differences: 12,
  wait: 13,
  notRunnable: 126,
  noProgram: 127,
  cancelled: 130,
  terminated: 143,
} as const;

/** What a program ended with that was run for somebody, 0 to 255: its own, passed on as it is. */
type PassedOn = number & { readonly isPassedOn: true };

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | PassedOn;

/** As a shell has it: a program that a signal ended has 128 and the signal's number. */
export function passedOn(ended: Ended): ExitCode {
  return ("code" in ended ? ended.code : 128 + ended.number) as PassedOn;
}

const byKind: Readonly<Record<ErrorKind, ExitCode>> = {
  defect: exitCodes.defect,
  usage: exitCodes.usage,
  auth: exitCodes.auth,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  invalid: exitCodes.invalid,
  rate_limited: exitCodes.rateLimited,
  unavailable: exitCodes.unavailable,
  outcome_unknown: exitCodes.outcomeUnknown,
  unexpected_response: exitCodes.unexpectedResponse,
  database: exitCodes.database,
  differences: exitCodes.differences,
  wait: exitCodes.wait,
  output: exitCodes.defect,
  cancelled: exitCodes.cancelled,
  terminated: exitCodes.terminated,
};

export function exitCodeOfKind(kind: ErrorKind): ExitCode {
  return byKind[kind];
}

/**
 * Returns the kind of a refusal, by its HTTP status and, for a 2xx, by the envelope's own status;
 * undefined where the service did what it was asked.
 */
export function kindOfReply({ status, envelope }: Reply): ErrorKind | undefined {
  if (status >= 200 && status < 300) {
    if (envelope === undefined) return "unexpected_response";
    return envelope.status ? undefined : "invalid";
  }
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 409) return "conflict";
  if (status === 429) return "rate_limited";
  if (status >= 400 && status < 500) return "invalid";
  return status >= 500 ? "unavailable" : "unexpected_response";
}

/** Returns what follows the message of an error on stderr: ` (HTTP 404, not_found)`, the status once. */
export function httpCause(message: string, status: number, kind: ErrorKind): string {
  const name = `HTTP ${status}`;
  return ` (${message.includes(name) ? "" : `${name}, `}${kind})`;
}

export function exitCodeOfReply(reply: Reply): ExitCode {
  const kind = kindOfReply(reply);
  return kind === undefined ? exitCodes.done : byKind[kind];
}
