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
 * @param elapsed milliseconds, never set back
 */
export function createRateLimit(perSecond: number, elapsed: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const time = elapsed();
    const bucket = buckets.get(key) ?? { tokens: perSecond, at: time };
    const grown = bucket.tokens + ((time - bucket.at) / 1000) * perSecond;
    bucket.tokens = Math.min(perSecond, grown);
    bucket.at = time;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return undefined;
  };
}
