import type { ErrorKind } from "../core/error.ts";
import type { Ended } from "../core/programs.ts";

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
  hung_up: 129,
  cancelled: 130,
  quit: 131,
  terminated: 143,
} as const;

/** The exit code of a program that sendctl ran, from 0 to 255, passed on unchanged. */
type PassedOn = number & { readonly isPassedOn: true };

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | PassedOn;

/** Returns the exit code of a program; 128 plus the signal's number, as in a shell. */
export function passedOn(ended: Ended): ExitCode {
  return ("code" in ended ? ended.code : 128 + ended.number) as PassedOn;
}

export function exitCodeOfKind(kind: ErrorKind): ExitCode {
  // An output that cannot be written has no code of its own.
  return exitCodes[kind === "output" ? "defect" : kind];
}
