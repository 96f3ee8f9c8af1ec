import { SendctlError } from "../contract/error.ts";
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

/** Returns the response to an error, by its kind. An error of any other kind is a bug. */
export function errorResponse(error: unknown, refuse: Refuse): ErrorResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const { attempts = 1, message = "", database = "database" } = known ?? {};
  const code = codeOf(known?.cause);
  switch (known?.kind) {
    case "auth":
      return { response: unauthorized(refuse, "unknown_key"), failure: undefined };
    case "database": {
      const text = "The database is temporarily unavailable";
      const response = refusal(refuse, 503, text, { "Retry-After": "1" });
      return { response, failure: { cause: database, code, attempts, problem: message } };
    }
    case "outcome_unknown":
      // Any response would claim that the request was carried out, or that it was not.
      return { response: undefined, failure: { cause: "outcome_unknown", code, attempts } };
    default: {
      const failure: Failure = { cause: "defect", code: codeOf(error) };
      return { response: refusal(refuse, 500, "Internal server error"), failure };
    }
  }
}

/** Returns the SQLSTATE, the result code of SQLite or the code of the network or file system error. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : undefined;
}
