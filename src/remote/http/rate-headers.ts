import type { HttpResponse } from "./attempt.ts";

/** Larger reset times are seconds since 1970, smaller ones seconds from now. */
const firstDate = 1_000_000_000;

/**
 * Returns how many milliseconds a refused request should wait: from Retry-After, otherwise from X-RateLimit-Reset;
 * undefined if the response has neither.
 *
 * @param now milliseconds since 1970
 */
export function requestedWait({ headers }: HttpResponse, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  // A value with hundreds of digits would be Infinity.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // Date.parse accepts almost anything.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const reset = headers["x-ratelimit-reset"];
  if (typeof reset !== "string" || !/^\d{1,15}$/.test(reset.trim())) return undefined;
  const seconds = Number(reset);
  return seconds < firstDate ? seconds * 1000 : Math.max(0, seconds * 1000 - now);
}
