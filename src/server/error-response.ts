import { SendctlError, type ErrorKind } from "../contract/error.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";

/** What a client gets where the service behind the server throws. */
interface ErrorResponse {
  /** Undefined where the connection is closed without a response. */
  readonly response: ServedResponse | undefined;
  /** Whether it is a bug, which the client learns nothing of. */
  readonly isDefect: boolean;
  /** Why the database cannot be used, for whoever runs the server. */
  readonly problem?: string;
}

export const unknownKey = "The key is not known";

/** Returns the response to a request without a valid key. */
export function unauthorized(message: string): ServedResponse {
  return refusal(401, message, { "WWW-Authenticate": "Bearer" });
}

/** By kind of error. An error of any other kind can only be a bug. */
const byKind: Readonly<Partial<Record<ErrorKind, () => ServedResponse | undefined>>> = {
  auth: () => unauthorized(unknownKey),
  database: () => refusal(503, "The database can't be used just now", { "Retry-After": "1" }),
  // Any response would claim too much: that it was done, or that it was not.
  outcome_unknown: () => undefined,
};

/** Returns the response to an error, by its kind. */
export function errorResponse(error: unknown): ErrorResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const responseFor = known && byKind[known.kind];
  if (known?.kind === "database") {
    return { response: responseFor?.(), isDefect: false, problem: known.message };
  }
  if (responseFor !== undefined) return { response: responseFor(), isDefect: false };
  return { response: refusal(500, "Something went wrong in the service"), isDefect: true };
}
