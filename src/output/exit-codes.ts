import type { Reply } from "../contract/service.ts";
import type { ErrorKind } from "../contract/error.ts";
import type { Ended } from "../runtime/runtime.ts";

/** Exit codes, decided here and nowhere else. */
export const exitCodes = {
  done: 0,
  defect: 1,
  usage: 2,
  key: 3,
  notFound: 4,
  conflict: 5,
  refused: 6,
  rateLimited: 7,
  unavailable: 8,
  unknown: 9,
  notTheService: 10,
  database: 11,
  differences: 12,
  waited: 13,
  notRunnable: 126,
  noProgram: 127,
  interrupted: 130,
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
  usage: exitCodes.usage,
  key: exitCodes.key,
  database: exitCodes.database,
  unavailable: exitCodes.unavailable,
  unknown: exitCodes.unknown,
  answer: exitCodes.notTheService,
  waited: exitCodes.waited,
  output: exitCodes.defect,
  cancelled: exitCodes.interrupted,
  interrupted: exitCodes.interrupted,
  terminated: exitCodes.terminated,
};

export function exitCodeOfError(kind: ErrorKind): ExitCode {
  return byKind[kind];
}

/** The exit code of an answer, by its HTTP status and, for a 2xx, by the envelope's own status. */
export function exitCodeOfReply({ status, envelope }: Reply): ExitCode {
  if (status >= 200 && status < 300) {
    if (envelope === undefined) return exitCodes.notTheService;
    return envelope.status ? exitCodes.done : exitCodes.refused;
  }
  if (status === 401 || status === 403) return exitCodes.key;
  if (status === 404) return exitCodes.notFound;
  if (status === 409) return exitCodes.conflict;
  if (status === 429) return exitCodes.rateLimited;
  if (status >= 400 && status < 500) return exitCodes.refused;
  if (status >= 500) return exitCodes.unavailable;
  return exitCodes.notTheService;
}
