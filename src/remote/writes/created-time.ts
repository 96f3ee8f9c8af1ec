import type { ShownRecord } from "../../contract/service.ts";

/** The time at which a record was created, in milliseconds since 1970 by the service's clock. */
interface CreatedTime {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Returns when a record was created, or undefined if its `created_at` is not a time with a zone. A fraction of zeros counts
 * as missing, because a service may store whole seconds, rounded or truncated, and show six digits.
 */
export function createdTime({ created_at }: ShownRecord): CreatedTime | undefined {
  if (typeof created_at !== "string" || !/(?:Z|[+-]\d{2}:?\d{2})$/.test(created_at)) {
    return undefined;
  }
  const time = Date.parse(created_at);
  if (Number.isNaN(time)) return undefined;
  const [, fraction = ""] = /\.(\d+)(?:Z|[+-])/.exec(created_at) ?? [];
  const digits = /^0*$/.test(fraction) ? 0 : Math.min(fraction.length, 3);
  const resolution = 1000 / 10 ** digits;
  return { earliest: time - resolution / 2, latest: time + resolution };
}
