import { envelopeOf } from "../../contract/service.ts";
import { gatewayTimeouts, isRead } from "../../contract/request.ts";
import { readJson } from "../../core/json-text.ts";
import type { HttpResponse, LostResponse } from "./attempt.ts";

/**
 * Returns whether a write may have been carried out although no response confirms it: the response
 * was incomplete or came from a gateway, or a create returned no record.
 */
export function isDoubtful(method: string, outcome: HttpResponse | LostResponse): boolean {
  if (isRead(method)) return false;
  if ("error" in outcome) return !outcome.unsent;
  const { status, text } = outcome;
  // Not a final response, or one that shows where the result is: RFC 9110, part 15.4.4.
  if (status < 200 || status === 303 || status === 304) return true;
  if (status >= 500 || gatewayTimeouts.has(status)) return !isOwnRefusal(outcome);
  if (status >= 300) return false;
  // A page of a portal confirms nothing. No body confirms an update or a delete, but not a create.
  return text.trim() === "" ? method === "POST" : readJson(text) === undefined;
}

/** Returns whether a body is the service's own refusal, an envelope with status false. */
function isOwnRefusal({ text }: HttpResponse): boolean {
  return envelopeOf(readJson(text))?.status === false;
}

/** Statuses of temporary failures. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Temporary errors after which the service certainly saw nothing. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/** Codes of errors that a retry would not fix. */
const permanentErrors =
  /^(?:EPROXY|ERR_TLS|ERR_SSL|EPROTO|ETLSALERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HPE_|ERR_INVALID)/;

/** Maximum of the first backoff, and of every backoff, in milliseconds. */
const initialBackoff = 250;
const maxBackoff = 8000;

/** The longest wait requested by a service that is honoured, in milliseconds. */
const maxWait = 60_000;

/**
 * Returns whether a request is idempotent. A delete is not: its id or name may belong to another
 * record by the time it is repeated.
 */
function isRepeatable(method: string): boolean {
  return isRead(method) || method === "PUT";
}

/**
 * Returns whether an attempt may be retried without doing anything twice.
 *
 * @param isDoubtful whether the service may have carried out the attempt
 */
export function mayRetry(
  method: string,
  outcome: HttpResponse | LostResponse,
  isDoubtful: boolean,
): boolean {
  const isCreate = method === "POST" || method === "PATCH";
  if ("error" in outcome) {
    const code = outcome.error.code ?? "";
    if (permanentErrors.test(code)) return false;
    return isDoubtful ? isRepeatable(method) : !isCreate || neverConnected.has(code);
  }
  if (isRateLimit(outcome)) return true;
  if (!transientStatuses.has(outcome.status) || isCreate) return false;
  return isOwnRefusal(outcome) || isRepeatable(method);
}

/**
 * Returns the milliseconds to wait before the next attempt: what the service asks for, otherwise an
 * exponential backoff with jitter. Undefined if the service asks for more than `maxWait`.
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
  const requested = "error" in outcome ? 0 : (requestedWait(outcome, now) ?? 0);
  if (requested > maxWait) return undefined;
  // A service may ask for no wait at all.
  return Math.max(requested, random * maxBackoffAfter(attempts));
}

/** Returns the maximum backoff after the nth attempt, in milliseconds. */
export function maxBackoffAfter(attempts: number): number {
  return Math.min(maxBackoff, initialBackoff * 2 ** (attempts - 1));
}

/** Larger reset times are seconds since 1970, smaller ones seconds from now. */
const firstDate = 1_000_000_000;

/** Larger reset times are milliseconds since 1970. */
const firstMilliseconds = 100_000_000_000;

/** Returns whether a response limits the rate of requests: 429, or 403 with Retry-After. */
export function isRateLimit({ status, headers }: HttpResponse): boolean {
  return status === 429 || (status === 403 && headers["retry-after"] !== undefined);
}

/**
 * Returns how many milliseconds a refused request should wait: from Retry-After, otherwise from
 * X-RateLimit-Reset; undefined if the response has neither.
 *
 * @param now milliseconds since 1970
 */
export function requestedWait({ status, headers }: HttpResponse, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  // A value with hundreds of digits would be Infinity.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // Date.parse accepts almost anything.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  // The clock of the service may differ from this one.
  const sentAt = Date.parse(headers.date ?? "");
  const from = Number.isNaN(sentAt) ? now : sentAt;
  if (!Number.isNaN(date)) return Math.max(0, date - from);
  const reset = headers["x-ratelimit-reset"];
  // Many services send it with every response.
  if (status !== 429 && headers["x-ratelimit-remaining"] !== "0") return undefined;
  if (typeof reset !== "string" || !/^\d{1,15}$/.test(reset.trim())) return undefined;
  const seconds = Number(reset) / (Number(reset) >= firstMilliseconds ? 1000 : 1);
  return seconds < firstDate ? seconds * 1000 : Math.max(0, seconds * 1000 - from);
}

/** Requests in flight: the maximum, and the limit at the start. */
const maxConcurrency = 16;
const initialConcurrency = 4;

/** Accepted requests after which a slowed client sends one more at once. */
const recoverAfter = 25;

/** In milliseconds: the first and the longest interval between two requests. */
const firstInterval = 100;
const maxInterval = 2000;

/** A rate limit: milliseconds until the next request, and whether the service has named them. */
interface Limit {
  readonly wait: number;
  readonly isNamed: boolean;
}

/**
 * Creates the pace of a client's requests. After a 429, they pause as the service asks, and then
 * half as many run at once; without a time, they also start further apart. Both recover slowly.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createPace(elapsed: () => number, sleep: (milliseconds: number) => Promise<void>) {
  let concurrency = initialConcurrency;
  let active = 0;
  const waiting: (() => void)[] = [];
  let accepted = 0;
  /** The pause after a rate limit. The first request that waits starts `over`. */
  let pause: { readonly ends: number; over?: Promise<void> } | undefined;
  /** Milliseconds from one request to the next, and when that may begin. */
  let interval = 0;
  let next = 0;
  /** Number of rate limits hit. A 429 to a request sent before the last is not counted again. */
  let limits = 0;

  const admit = (): void => {
    while (active < concurrency && waiting.length > 0) {
      active += 1;
      waiting.shift()!();
    }
  };

  const leave = (): void => {
    active -= 1;
    admit();
  };

  const pauseOver = async (): Promise<void> => {
    while (pause !== undefined) {
      const current: typeof pause = pause;
      current.over ??= sleep(Math.max(0, current.ends - elapsed()));
      await current.over;
      if (pause === current) pause = undefined;
    }
  };

  const accept = (): void => {
    accepted += 1;
    // Only requests at the current limit show that the service could accept more.
    const isUsed = active >= concurrency && concurrency < maxConcurrency;
    const recovers = accepted % recoverAfter === 0;
    if (isUsed && (limits === 0 || recovers)) concurrency += 1;
    if (recovers) interval *= 0.8;
  };

  const slowDown = ({ wait, isNamed }: Limit, limitsBefore: number): void => {
    if (limitsBefore === limits) {
      limits += 1;
      if (!isNamed) interval = Math.min(maxInterval, Math.max(firstInterval, 2 * interval));
      concurrency = Math.max(1, Math.floor(Math.min(concurrency, active) / 2));
    }
    const ends = elapsed() + wait;
    if (pause === undefined || ends > pause.ends) pause = { ends };
    // The pause is longer than the interval.
    next = 0;
  };

  return {
    /** Returns the number of requests that were accepted so far. */
    accepted: (): number => accepted,
    /** Resolves when a request may be sent. Rejects when the program is interrupted. */
    turn: async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      try {
        await pauseOver();
        const begins = Math.max(next, elapsed());
        next = begins + interval;
        if (begins > elapsed()) await sleep(begins - elapsed());
      } catch (error) {
        leave();
        throw error;
      }
      const limitsBefore = limits;
      return {
        /** Reports the outcome of the request. */
        end: (outcome: "accepted" | "lost" | Limit): void => {
          if (outcome === "accepted") accept();
          else if (outcome !== "lost") slowDown(outcome, limitsBefore);
          leave();
        },
      };
    },
  };
}
