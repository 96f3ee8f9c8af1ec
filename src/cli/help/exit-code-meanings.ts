import type { exitCodes } from "../../output/exit-codes.ts";

/** The meaning of each exit code. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  defect: "a defect in sendctl, or standard output cannot be written",
  usage: "usage: invalid arguments, settings or files, or missing input; nothing was sent",
  auth: "no key, or the service rejected it (401, 403)",
  not_found: "not found (404, 410)",
  conflict: "conflict (409)",
  invalid: "rejected as invalid (400, 413, 415, 422, any other 4xx, or a 2xx with status false)",
  rate_limited: "rate limited (429)",
  unavailable: "unavailable: no connection, timeout or 5xx; nothing was changed",
  outcome_unknown:
    "outcome unknown: a write was sent but got no response; stderr shows how to check",
  unexpected_response: "unexpected response, or the stored values differ from those sent",
  database:
    "the database cannot be used: locked, damaged, unreachable, not a database, of another version, or the disk is full",
  differences:
    "diff found differences, apply left some that need --replace, or a migration is pending",
  wait: "wait timed out, or the sender ID was REJECTED",
  not_runnable: "the command of local run cannot be run",
  no_program: "the command of local run was not found",
  cancelled: "cancelled (Ctrl-C, SIGINT), or a confirmation was declined",
  terminated: "terminated (SIGTERM)",
};
