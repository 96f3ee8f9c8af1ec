/**
 * Bytes that the server keeps because a client is slow: bodies that have not arrived whole, and responses
 * that are not read. Bounded over all connections, so that many slow clients cannot take all memory.
 */
export interface HeldBytes {
  /** Returns false, and counts nothing, where that is more than the server may keep. */
  readonly take: (bytes: number) => boolean;
  readonly release: (bytes: number) => void;
}

/** For bodies that have not arrived whole, in bytes. */
export const maxBodies = 16 * 1024 * 1024;

/** For responses that are not read, in bytes. Each is in memory twice until the system has taken it. */
export const maxUnread = 8 * 1024 * 1024;

/** @param maxHeld in bytes, over all connections */
export function createHeldBytes(maxHeld: number): HeldBytes {
  let held = 0;
  return {
    take: (bytes) => {
      if (held + bytes > maxHeld) return false;
      held += bytes;
      return true;
    },
    release: (bytes) => void (held -= bytes),
  };
}
