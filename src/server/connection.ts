import type { IncomingMessage } from "node:http";

/** One connection, on which requests may be pipelined. */
export interface Connection {
  /** Requests without a response so far. */
  pending: number;
  /** Resolves when the last pending request is done. */
  last: Promise<void>;
  /** The request whose body is being read. */
  reading: IncomingMessage | undefined;
  /** Whether the input was malformed or cut short, so that no more requests can follow. */
  isBroken: boolean;
  /** Whether further requests are ignored. */
  isEnding: boolean;
  /** Address of the other side; undefined if it has disconnected already. */
  readonly address: string | undefined;
}

export function newConnection(address: string | undefined): Connection {
  return {
    address,
    pending: 0,
    last: Promise.resolve(),
    reading: undefined,
    isBroken: false,
    isEnding: false,
  };
}

/** Requests queued behind others, over all connections. */
export interface Backlog {
  waiting: number;
}

/** Pipelined requests queued on one connection; a client that sends more is disconnected. */
const maxPending = 100;

/** Queued requests over all connections. Each may have 16 KiB of headers. */
const maxWaiting = 1000;

/**
 * Queues a request, so that those of one connection are handled one by one, in order. node:http keeps reading
 * requests while earlier ones are being handled, so the limits of the queue bound memory.
 *
 * @returns false, without queueing the request, if the connection or the server has too many queued
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
