import type { IncomingHttpHeaders } from "node:http";
import type { HttpResponse } from "./attempt.ts";

/** Larger reset times are seconds since 1970, smaller ones seconds from now. */
const firstDate = 1_000_000_000;

/**
 * Returns how many milliseconds a refused request should wait: from Retry-After, otherwise from the reset time of
 * an exhausted rate limit; undefined if the response has neither.
 *
 * @param now milliseconds since 1970
 */
export function requestedWait({ headers }: HttpResponse, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  // A value with hundreds of digits would be Infinity.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // Date.parse accepts almost anything.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? waitForReset(headers, now) : Math.max(0, date - now);
}

/**
 * Returns the milliseconds until an exhausted rate limit resets; undefined if it is not exhausted. Reads
 * X-RateLimit-*, RateLimit-* and both drafts of RateLimit.
 */
export function waitForReset(headers: IncomingHttpHeaders, now: number): number | undefined {
  const combined = textOf(headers, "ratelimit");
  const remaining =
    textOf(headers, "x-ratelimit-remaining") ??
    textOf(headers, "ratelimit-remaining") ??
    /\b(?:remaining|r)=(\d+)/.exec(combined ?? "")?.[1];
  const reset =
    textOf(headers, "x-ratelimit-reset") ??
    textOf(headers, "ratelimit-reset") ??
    /\b(?:reset|t)=(\d+)/.exec(combined ?? "")?.[1];
  if (remaining !== "0" || reset === undefined || !/^\d{1,15}$/.test(reset)) return undefined;
  const seconds = Number(reset);
  if (seconds < firstDate) return seconds * 1000;
  const date = seconds > firstDate * 1000 ? seconds : seconds * 1000;
  return Math.max(0, date - now);
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value.trim() : undefined;
}
