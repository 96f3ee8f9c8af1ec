import { hrtime } from "node:process";
import timers from "node:timers";

/** ISO 8601 dates such as `2026-01-31`, in the Gregorian calendar, from year 1 to 9999. */

const dayForm = /^(?!0000)\d{4}-\d\d-\d\d$/;

/** The last date with a year of four digits. */
export const lastDay = "9999-12-31";

/** Returns whether a text is an existing date. */
export function isDay(text: string): boolean {
  if (!dayForm.test(text)) return false;
  // A day after the end of its month becomes one of the next month, or an invalid date.
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns whether a text is a day of the year (`MM-DD`), including `02-29`. */
export function isMonthDay(text: string): boolean {
  return isDay(`2000-${text}`);
}

/** Returns the date `count` days later, or undefined if that is after `lastDay`. */
export function daysLater(day: string, count: number): string | undefined {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  const text = date.toISOString().slice(0, 10);
  return isDay(text) ? text : undefined;
}

/** Returns the date in the local time zone. @param milliseconds since 1970 */
export function localDay(milliseconds: number): string {
  const date = new Date(milliseconds);
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return [String(date.getFullYear()).padStart(4, "0"), ...parts].join("-");
}

/**
 * Returns the monotonic time in milliseconds. `performance.now` is the same, but loads
 * `node:perf_hooks`, which takes a twentieth of the start of a process.
 */
export function elapsed(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Runs a function in the next turn of the event loop, even if a test suite replaced its timers. */
export const { setImmediate: inNextTurn } = timers;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The maximum delay of a timer: 24 days. */
const maxMilliseconds = 2 ** 31 - 1;

/** Returns the milliseconds of a duration such as `500ms`, `30s`, `10m`, `2h`, or undefined. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const milliseconds = Math.round(Number(digits) * units[unit]!);
  return milliseconds >= 1 && milliseconds <= maxMilliseconds ? milliseconds : undefined;
}

/** Returns a duration in the largest unit without a fraction. */
export function durationText(milliseconds: number): string {
  const [unit, size] = Object.entries(units).findLast(([, length]) => milliseconds % length === 0)!;
  return `${milliseconds / size}${unit}`;
}
