import type { HttpResponse, LostResponse } from "./attempt.ts";
import { isOwnRefusal, isWrite, type SentRequest } from "../writes/write-outcome.ts";
import { requestedWait } from "./rate-headers.ts";

/** Statuses of responses that say: not now. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Errors after which it is certain that the service saw nothing, and that may pass. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/** Errors that another attempt would only meet again. */
const permanentErrors =
  /^(?:EPROXY|ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HPE_|ERR_INVALID)/;

/** Milliseconds: the first backoff at most, and every backoff at most. */
const initialBackoff = 250;
const maxBackoff = 8000;

/** The longest wait that a service may ask for, in milliseconds. */
export const maxWait = 60_000;

/** A group has an id that no other group gets; a name may be that of another sender ID by now. */
export const groupById = /^\/v1\/group\/[^/?#]+$/;

/** Returns whether a request that may have been carried out does nothing more when it is sent again. */
function isRepeatable({ method, path }: SentRequest): boolean {
  return !isWrite(method) || method === "PUT" || (method === "DELETE" && groupById.test(path));
}

/**
 * Returns whether an attempt may be followed by another that does nothing twice.
 *
 * @param isDoubtful whether the service may have carried it out
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
 * Returns how long to wait before the next attempt, in milliseconds: what the service asks for or, where it
 * asks for nothing, anything up to twice as long as the last time. Undefined where it asks for too long.
 *
 * @param attempts how many there were
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

/** Returns how long the backoff after the nth attempt is at most, in milliseconds. */
export function maxBackoffAfter(attempts: number): number {
  return Math.min(maxBackoff, initialBackoff * 2 ** (attempts - 1));
}
