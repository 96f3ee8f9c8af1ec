import type { Reply } from "../contract/service.ts";
import type { ErrorKind } from "../contract/error.ts";
import type { Ended } from "../runtime/run-program.ts";

/** All exit codes of sendctl itself, by kind of error. */
export const exitCodes = {
  done: 0,
  defect: 1,
  usage: 2,
  auth: 3,
  not_found: 4,
  conflict: 5,
  invalid: 6,
  rate_limited: 7,
  unavailable: 8,
  outcome_unknown: 9,
  unexpected_response: 10,
  database: 11,
  differences: 12,
  wait: 13,
  not_runnable: 126,
  no_program: 127,
  cancelled: 130,
  terminated: 143,
} as const;

/** The exit code of a program that sendctl ran, from 0 to 255, passed on unchanged. */
type PassedOn = number & { readonly isPassedOn: true };

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | PassedOn;

/** Returns the exit code of a program. After a signal it is 128 plus the signal's number, as in a shell. */
export function passedOn(ended: Ended): ExitCode {
  return ("code" in ended ? ended.code : 128 + ended.number) as PassedOn;
}

export function exitCodeOfKind(kind: ErrorKind): ExitCode {
  // An output that cannot be written has no code of its own.
  return exitCodes[kind === "output" ? "defect" : kind];
}

/**
 * Returns the kind of a refusal, by its HTTP status and, for a 2xx, by the status of the envelope; undefined for a
 * success.
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

/** Returns the suffix of an error message on stderr, ` (HTTP 404, not_found)`, without a status that it contains. */
export function httpCause(message: string, status: number, kind: ErrorKind): string {
  const name = `HTTP ${status}`;
  return ` (${message.includes(name) ? "" : `${name}, `}${kind})`;
}

export function exitCodeOfReply(reply: Reply): ExitCode {
  const kind = kindOfReply(reply);
  return kind === undefined ? exitCodes.done : exitCodeOfKind(kind);
}
