import type { IncomingMessage } from "node:http";

/** One connection, on which requests may come before the earlier ones are answered. */
export interface Connection {
  /** Requests that are not answered yet. */
  pending: number;
  /** Fulfilled when the last of them is. */
  last: Promise<void>;
  /** The one whose body is waited for. */
  reading: IncomingMessage | undefined;
  /** What came last can't be read as HTTP, or broke off: no more will come. */
  isBroken: boolean;
  /** Nothing that comes after is carried out. */
  isEnding: boolean;
}

export function newConnection(): Connection {
  return {
    pending: 0,
    last: Promise.resolve(),
    reading: undefined,
    isBroken: false,
    isEnding: false,
  };
}

/** Requests of one connection are carried out one after the other, as they came. */
export function inTurn(connection: Connection, action: () => Promise<void>): void {
  connection.pending += 1;
  const run = async (): Promise<void> => {
    try {
      if (!connection.isEnding) await action();
    } finally {
      connection.pending -= 1;
    }
  };
  connection.last = connection.pending === 1 ? run() : connection.last.then(run);
}
