import type { ShownRecord } from "../../contract/service.ts";

/** The time at which a record was created, in milliseconds since 1970 by the service's clock. */
interface CreatedTime {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Returns when a record was created, or undefined if its `created_at` is not a time with a zone. Zeros at the end of the
 * fraction count as missing digits, because a service may store whole seconds, rounded or truncated, and show six digits.
 */
export function createdTime({ created_at }: ShownRecord): CreatedTime | undefined {
  if (typeof created_at !== "string" || !/(?:Z|[+-]\d{2}:?\d{2})$/.test(created_at)) {
    return undefined;
  }
  const time = Date.parse(created_at);
  if (Number.isNaN(time)) return undefined;
  const [, digits = ""] = /\.(\d*?)0*(?:Z|[+-])/.exec(created_at) ?? [];
  const resolution = 1000 / 10 ** Math.min(digits.length, 3);
  return { earliest: time - resolution / 2, latest: time + resolution };
}
