import type { Answer, Lost } from "./attempt.ts";

/** Answers that say: not now. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Errors after which it is certain that the service saw nothing, and that may pass. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/** Errors that another attempt would only meet again. */
const lasting =
  /^(?:EPROXY|ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HPE_|ERR_INVALID)/;

/** Milliseconds: the first backoff at most, and every backoff at most. */
const firstBackoff = 250;
const longestBackoff = 8000;

/** The longest wait that a service may ask for, in milliseconds. */
const longestRetryAfter = 60_000;

/** Whether an attempt may be followed by another that does nothing twice. */
export function mayTryAgain(method: string, outcome: Answer | Lost): boolean {
  if ("error" in outcome) {
    const code = outcome.error.code ?? "";
    if (lasting.test(code)) return false;
    return method !== "POST" || (outcome.unsent && neverConnected.has(code));
  }
  return method === "POST" ? outcome.status === 429 : passing.has(outcome.status);
}

/**
 * How long to wait before the next attempt, in milliseconds: what the service asks for or, where it asks
 * for nothing, anything up to twice as long as the last time. Undefined where it asks for too long.
 *
 * @param attempts how many there were
 * @param now milliseconds since 1970
 * @param random from 0 to 1
 */
export function waitBefore(
  outcome: Answer | Lost,
  attempts: number,
  now: number,
  random: number,
): number | undefined {
  const asked = "error" in outcome ? undefined : retryAfter(outcome, now);
  if (asked !== undefined) return asked > longestRetryAfter ? undefined : asked;
  return random * Math.min(longestBackoff, firstBackoff * 2 ** (attempts - 1));
}

/** The header Retry-After, seconds or a date, in milliseconds from now. */
export function retryAfter({ headers }: Answer, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse makes a date of almost anything.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
