import { SendctlError, type ErrorKind } from "../contract/error.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";

/** How the server responds when the service throws. */
interface ErrorResponse {
  /** Undefined if the connection is closed without a response. */
  readonly response: ServedResponse | undefined;
  /** Whether the error is a bug, whose details are hidden from the client. */
  readonly isDefect: boolean;
  /** Why the database cannot be used, for the operator. */
  readonly problem?: string;
}

export const unknownKey = "Invalid key";

/** Returns the response to a request without a valid key. */
export function unauthorized(message: string): ServedResponse {
  return refusal(401, message, { "WWW-Authenticate": "Bearer" });
}

/** Responses by kind of error. An error of any other kind is a bug. */
const byKind: Readonly<Partial<Record<ErrorKind, () => ServedResponse | undefined>>> = {
  auth: () => unauthorized(unknownKey),
  database: () => refusal(503, "The database is temporarily unavailable", { "Retry-After": "1" }),
  // Any response would claim that the request was carried out, or that it was not.
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
  return { response: refusal(500, "Internal server error"), isDefect: true };
}
