import { SendctlError, type ErrorKind } from "../contract/error.ts";
import type { Refuse } from "../contract/refusal.ts";
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

/** Returns the response to a request without a valid key. A 401 names the scheme: RFC 9110, part 11.6.1. */
export function unauthorized(refuse: Refuse, cause: "no_key" | "unknown_key"): ServedResponse {
  const response = refusal(refuse, cause, cause === "no_key" ? "Missing key" : "Invalid key");
  if (response.status !== 401) return response;
  return { ...response, headers: { ...response.headers, "WWW-Authenticate": "Bearer" } };
}

/** Responses by kind of error. An error of any other kind is a bug. */
const byKind: Readonly<Partial<Record<ErrorKind, (refuse: Refuse) => ServedResponse | undefined>>> =
  {
    auth: (refuse) => unauthorized(refuse, "unknown_key"),
    database: (refuse) => ({
      ...refusal(refuse, 503, "The database is temporarily unavailable", { "Retry-After": "1" }),
      cause: "database",
    }),
    // Any response would claim that the request was carried out, or that it was not.
    outcome_unknown: () => undefined,
  };

/** Returns the response to an error, by its kind. */
export function errorResponse(error: unknown, refuse: Refuse): ErrorResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const responseFor = known && byKind[known.kind];
  if (known?.kind === "database") {
    return { response: responseFor?.(refuse), isDefect: false, problem: known.message };
  }
  if (responseFor !== undefined) return { response: responseFor(refuse), isDefect: false };
  return { response: refusal(refuse, 500, "Internal server error"), isDefect: true };
}
