import type { HttpResponse, LostResponse } from "./attempt.ts";
import { isOwnRefusal, isWrite, type SentRequest } from "../writes/write-outcome.ts";
import { requestedWait } from "./rate-headers.ts";

/** Statuses of temporary failures. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Temporary errors after which the service certainly saw nothing. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/** Codes of errors that a retry would not fix. */
const permanentErrors =
  /^(?:EPROXY|ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HPE_|ERR_INVALID)/;

/** Maximum of the first backoff, and of every backoff, in milliseconds. */
const initialBackoff = 250;
const maxBackoff = 8000;

/** The longest wait requested by a service that is honoured, in milliseconds. */
const maxWait = 60_000;

/**
 * Returns whether a request is idempotent. A delete is not: its id or name may belong to another record by the time it is
 * repeated.
 */
function isRepeatable({ method }: SentRequest): boolean {
  return !isWrite(method) || method === "PUT";
}

/**
 * Returns whether an attempt may be retried without doing anything twice.
 *
 * @param isDoubtful whether the service may have carried out the attempt
 */
export function mayRetry(
  request: SentRequest,
  outcome: HttpResponse | LostResponse,
  isDoubtful: boolean,
): boolean {
  const { method } = request;
  const isCreate = method === "POST" || method === "PATCH";
  if ("error" in outcome) {
    const code = outcome.error.code ?? "";
    if (permanentErrors.test(code)) return false;
    return isDoubtful ? isRepeatable(request) : !isCreate || neverConnected.has(code);
  }
  if (outcome.status === 429) return true;
  if (!transientStatuses.has(outcome.status) || isCreate) return false;
  return isOwnRefusal(outcome) || isRepeatable(request);
}

/**
 * Returns the milliseconds to wait before the next attempt: what the service asks for, otherwise an exponential
 * backoff with jitter. Undefined if the service asks for more than `maxWait`.
 *
 * @param attempts number of attempts so far
 * @param now milliseconds since 1970
 * @param random from 0 to 1
 */
export function waitBefore(
  outcome: HttpResponse | LostResponse,
  attempts: number,
  now: number,
  random: number,
): number | undefined {
  const requested = "error" in outcome ? undefined : requestedWait(outcome, now);
  if (requested !== undefined) return requested > maxWait ? undefined : requested;
  return random * maxBackoffAfter(attempts);
}

/** Returns the maximum backoff after the nth attempt, in milliseconds. */
export function maxBackoffAfter(attempts: number): number {
  return Math.min(maxBackoff, initialBackoff * 2 ** (attempts - 1));
}
