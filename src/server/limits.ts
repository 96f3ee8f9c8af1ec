/**
 * Counts the bytes buffered because of slow clients: incomplete request bodies and unread responses. Limited over
 * all connections, so that many slow clients cannot exhaust memory.
 */
export interface BufferedBytes {
  /** Returns false, and counts nothing, if the limit would be exceeded. */
  readonly take: (bytes: number) => boolean;
  readonly release: (bytes: number) => void;
}

/** Limit for incomplete request bodies, in bytes. */
export const maxBodies = 16 * 1024 * 1024;

/** Limit for unread responses, in bytes. Each is in memory twice until the system has accepted it. */
export const maxUnread = 8 * 1024 * 1024;

/** Creates a counter. @param maxBytes limit in bytes, over all connections */
export function createBufferedBytes(maxBytes: number): BufferedBytes {
  let buffered = 0;
  return {
    take: (bytes) => {
      if (buffered + bytes > maxBytes) return false;
      buffered += bytes;
      return true;
    },
    release: (bytes) => void (buffered -= bytes),
  };
}

/** Returns undefined if a request is allowed, otherwise the whole seconds until the next one is. */
export type RateLimit = (key: string) => number | undefined;

interface Bucket {
  tokens: number;
  /** Time of the last update, in milliseconds. */
  at: number;
}

/**
 * Creates a limit of `perSecond` requests per second for each key, which is also the largest burst: ruling 24.
 *
 * @param elapsed monotonic time in milliseconds
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
