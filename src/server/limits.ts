import type { IncomingMessage } from "node:http";

/**
 * Counts the bytes buffered because of slow clients: incomplete request bodies and unread responses. Limited over
 * all connections, so that many slow clients cannot exhaust memory.
 */
export type BufferedBytes = ReturnType<typeof createBufferedBytes>;

/** Limit for incomplete request bodies, in bytes. */
export const maxBodies = 16 * 1024 * 1024;

/** Limit for unread responses, in bytes. Each is in memory twice until the system has accepted it. */
export const maxUnread = 8 * 1024 * 1024;

/** Creates a counter. @param maxBytes limit in bytes, over all connections */
export function createBufferedBytes(maxBytes: number) {
  let buffered = 0;
  return {
    /** Returns false, and counts nothing, if the limit would be exceeded. */
    take: (bytes: number): boolean => {
      if (buffered + bytes > maxBytes) return false;
      buffered += bytes;
      return true;
    },
    release: (bytes: number): void => void (buffered -= bytes),
  };
}

/** Returns whether another request is allowed. Otherwise one is within a second. */
export type RateLimit = (key: string) => boolean;

/**
 * Creates a limit of `perSecond` requests per second for each key, which is also the largest burst: ruling 24.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createRateLimit(perSecond: number, elapsed: () => number): RateLimit {
  /** `at` is the time of the last update. */
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (key) => {
    const time = elapsed();
    const bucket = buckets.get(key) ?? { tokens: perSecond, at: time };
    const grown = bucket.tokens + ((time - bucket.at) / 1000) * perSecond;
    bucket.tokens = Math.min(perSecond, grown);
    bucket.at = time;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}

/** One connection, on which requests may be pipelined. */
export type Connection = ReturnType<typeof newConnection>;

/** @param address of the other side; undefined if it has disconnected already */
export function newConnection(address: string | undefined) {
  return {
    address,
    /** Requests without a response so far. */
    pending: 0,
    /** Resolves when the last pending request is done. */
    last: Promise.resolve(),
    /** The request whose body is being read. */
    reading: undefined as IncomingMessage | undefined,
    /** Whether the input was malformed or cut short, so that no more requests can follow. */
    isBroken: false,
    /** Whether further requests are ignored. */
    isEnding: false,
  };
}

/** Pipelined requests queued on one connection; a client that sends more is disconnected. */
const maxPending = 100;

/** Queued requests over all connections. Each may have 16 KiB of headers. */
const maxWaiting = 1000;

/**
 * Creates the queues of a server, in which the requests of one connection are handled one by one, in order. node:http
 * keeps reading requests while earlier ones are being handled, so the limits of the queues bound memory.
 */
export function createQueues() {
  /** Requests queued behind others, over all connections. */
  let waiting = 0;
  /** Queues a request. Returns false, without queueing it, if the connection or the server has too many queued. */
  return (connection: Connection, action: () => Promise<void>): boolean => {
    const isFirst = connection.pending === 0;
    if (connection.pending > maxPending || (!isFirst && waiting >= maxWaiting)) return false;
    connection.pending += 1;
    if (isFirst) {
      connection.last = run(connection, action);
      return true;
    }
    waiting += 1;
    connection.last = connection.last.then(() => {
      waiting -= 1;
      return run(connection, action);
    });
    return true;
  };
}

async function run(connection: Connection, action: () => Promise<void>): Promise<void> {
  try {
    if (!connection.isEnding) await action();
  } finally {
    connection.pending -= 1;
  }
}
