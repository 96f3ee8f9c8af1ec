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
