import { SendctlError, type ErrorKind } from "../contract/error.ts";
import type { Refuse } from "../contract/refusal.ts";
import type { Failure } from "../contract/served-request.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";

/** How the server responds when the service throws. */
interface ErrorResponse {
  /** Undefined if the connection is closed without a response. */
  readonly response: ServedResponse | undefined;
  /** Undefined for a refusal that is not the server's fault. */
  readonly failure: Failure | undefined;
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
    database: (refuse) =>
      refusal(refuse, 503, "The database is temporarily unavailable", { "Retry-After": "1" }),
    // Any response would claim that the request was carried out, or that it was not.
    outcome_unknown: () => undefined,
  };

/** Returns the response to an error, by its kind. */
export function errorResponse(error: unknown, refuse: Refuse): ErrorResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const responseFor = known && byKind[known.kind];
  if (known === undefined || responseFor === undefined) {
    const failure: Failure = { cause: "defect", code: codeOf(error) };
    return { response: refusal(refuse, 500, "Internal server error"), failure };
  }
  const response = responseFor(refuse);
  const { attempts = 1, message } = known;
  const code = codeOf(known.cause);
  if (known.kind === "outcome_unknown") {
    return { response, failure: { cause: "outcome_unknown", code, attempts } };
  }
  if (known.kind !== "database") return { response, failure: undefined };
  const cause = known.database ?? "database";
  return { response, failure: { cause, code, attempts, problem: message } };
}

/** Returns the SQLSTATE, the result code of SQLite or the code of the network or file system error. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : undefined;
}
