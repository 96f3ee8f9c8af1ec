import { SendctlError, type ErrorKind } from "../contract/error.ts";
import { refusal, type ServedAnswer } from "./answer.ts";

/** What a client gets where the service behind the server throws. */
interface ErrorResponse {
  /** Undefined where the connection is closed without a response. */
  readonly answered: ServedAnswer | undefined;
  /** Whether it is a bug, which the client learns nothing of. */
  readonly isDefect: boolean;
}

const known = (answered: ServedAnswer | undefined): ErrorResponse => ({
  answered,
  isDefect: false,
});

/** The response to a request without a valid key. */
export function unauthorized(message: string): ServedAnswer {
  return refusal(401, message, { "WWW-Authenticate": "Bearer" });
}

export const unknownKey = "The key is not known";

/** By kind: an error of any other kind can only be a bug. */
const byKind: Readonly<Partial<Record<ErrorKind, () => ErrorResponse>>> = {
  auth: () => known(unauthorized(unknownKey)),
  database: () =>
    known(refusal(503, "The database can't be used just now", { "Retry-After": "1" })),
  // Any response would claim too much: that it was done, or that it was not.
  outcome_unknown: () => known(undefined),
};

/** Returns the response to an error, by its kind. */
export function errorResponse(error: unknown): ErrorResponse {
  const respond = error instanceof SendctlError ? byKind[error.kind] : undefined;
  if (respond !== undefined) return respond();
  return { answered: refusal(500, "Something went wrong in the service"), isDefect: true };
}
