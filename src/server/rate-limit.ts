/** Whether a request may pass; if not, in how many whole seconds. */
export type RateLimit = (key: string) => number | undefined;

interface Bucket {
  tokens: number;
  /** Milliseconds. */
  at: number;
}

/**
 * So many requests a second for each key, and at most as many at once: ruling 24.
 *
 * @param now milliseconds, rising
 */
export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const time = now();
    const bucket = buckets.get(key) ?? { tokens: perSecond, at: time };
    // A clock that was set back takes nothing away.
    const passed = Math.max(0, time - bucket.at);
    const grown = bucket.tokens + (passed / 1000) * perSecond;
    bucket.tokens = Math.min(perSecond, grown);
    bucket.at = time;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return undefined;
  };
}
