const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The maximum delay of a timer: 24 days. */
const maxMilliseconds = 2 ** 31 - 1;

/** Returns the milliseconds of a duration such as `500ms`, `30s`, `10m` or `2h`; undefined for any other text. */
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
