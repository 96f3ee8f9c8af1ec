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

/** Requests that wait behind others, over all connections. */
export interface Backlog {
  waiting: number;
}

/** Requests that may wait behind another on one connection; a client that pipelines more is cut off. */
const maxPending = 100;

/** Requests behind others in all. Each may hold 16 KiB of headers. */
const maxWaiting = 1000;

/**
 * Runs the requests of one connection one after the other, as they came.
 *
 * @returns false where the connection, or the server, has too many waiting; then nothing is queued.
 *   node:http goes on reading requests while earlier ones are being answered, so this is what bounds memory.
 */
export function enqueueRequest(
  connection: Connection,
  backlog: Backlog,
  action: () => Promise<void>,
): boolean {
  const isFirst = connection.pending === 0;
  if (connection.pending > maxPending || (!isFirst && backlog.waiting >= maxWaiting)) return false;
  connection.pending += 1;
  if (isFirst) {
    connection.last = run(connection, action);
    return true;
  }
  backlog.waiting += 1;
  connection.last = connection.last.then(() => {
    backlog.waiting -= 1;
    return run(connection, action);
  });
  return true;
}

async function run(connection: Connection, action: () => Promise<void>): Promise<void> {
  try {
    if (!connection.isEnding) await action();
  } finally {
    connection.pending -= 1;
  }
}
