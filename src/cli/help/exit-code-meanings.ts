import type { exitCodes } from "../../output/exit-codes.ts";

/** The meaning of each exit code. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  defect: "a defect in sendctl, or standard output can't be written",
  usage:
    "usage: bad arguments, settings or files, or input missing and nobody to ask; nothing was sent",
  auth: "no key, or the service refused it (401, 403)",
  notFound: "not found (404, 410)",
  conflict: "conflict (409)",
  invalid: "refused as invalid (400, 413, 415, 422, any other 4xx, or a 2xx whose status is false)",
  rateLimited: "rate limited (429)",
  unavailable: "unavailable: no connection, timeout or 5xx, and nothing was changed",
  outcomeUnknown:
    "outcome unknown: a write was sent and no response came; stderr says how to check",
  unexpectedResponse: "the response is not the service's, or stored values are not what was sent",
  database:
    "the database can't be used: locked, damaged, down, not one, of a newer version, disk full",
  differences: "diff found differences, or apply left some that only --replace removes",
  wait: "wait ran out of time, or the sender ID was REJECTED",
  notRunnable: "the command of local run cannot be run",
  noProgram: "the command of local run was not found",
  cancelled: "cancelled (Ctrl-C, SIGINT), or a confirmation was declined",
  terminated: "terminated (SIGTERM)",
};
