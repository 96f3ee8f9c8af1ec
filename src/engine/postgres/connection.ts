import { hash } from "node:crypto";
import { once } from "node:events";
import { Socket } from "node:net";
import { nextTick } from "node:process";
import { Client, Pool, escapeLiteral, types, type ClientConfig } from "pg";
import { tableColumns } from "../store/stored.ts";
import { codeOf, noCode, noPassword, passwordOf, type Address } from "./address.ts";

export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null | Uint8Array)[];

/**
 * Runs a statement in which our tables have no schema. Returns its rows.
 *
 * @throws the error of the driver, always with a code
 */
export type Send = <Row>(text: string, ...values: Value[]) => Promise<Row[]>;

/** Runs statements in one transaction, repeated after a conflict. @param attempts the maximum */
export type Transact = <Result>(
  body: (send: Send) => Promise<Result>,
  attempts?: number,
) => Promise<Result>;

/** Timeouts in milliseconds. */
export interface Limits {
  /** For one statement. */
  readonly statement: number;
  /** For the next statement of an open transaction. PostgreSQL then rolls back and disconnects. */
  readonly idle: number;
}

export const requestLimits: Limits = { statement: 30_000, idle: 10_000 };

/** Those of imports and maintenance, which handle whole tables and may wait for a slow terminal. */
export const bulkLimits: Limits = { statement: 600_000, idle: 60_000 };

/** Milliseconds for locks held by others. */
const lockTimeout = 10_000;
/** Milliseconds after the statement timeout until a silent connection is considered dead. */
const graceForNetwork = 5000;
/** Milliseconds for the server to close connections that are ended. */
const endTimeout = 2000;
/** Milliseconds for which the pool keeps its size after the server has refused a connection. */
const refusedPause = 2000;

/** The table of the version, which is created first. */
export const versionTable = "sendctl";

/** All tables: the version table first, and every other after those that it references. */
export const tables: readonly string[] = [versionTable, ...Object.keys(tableColumns)];

// Our ids, counts and times all fit a JavaScript number.
types.setTypeParser(types.builtins.INT8, Number);

/** A driver client with a known socket, to send statements at once and to end without an answer. */
class SocketClient extends Client {
  readonly socket: Socket;

  constructor(config: ClientConfig = {}) {
    const socket = new Socket();
    // The pool hides the password from what copies its options.
    super({ ...config, password: config.password, stream: () => socket });
    this.socket = socket;
  }
}

/** A connection while it is in use. */
export interface Connection {
  readonly send: Send;
  /** Returns it to the pool. @param isLost closes it, because it is lost or in an unknown state */
  readonly release: (isLost?: boolean) => void;
}

/** Creates the connections to a database. */
export function createConnections(address: Address, limits: Limits) {
  const pool = createPool(address, limits);
  const sockets = new Set<Socket>();
  pool.on("connect", (client) => {
    const { socket } = client as unknown as SocketClient;
    client.on("error", () => {});
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const qualified = qualifier(address.schema);

  /** Takes a connection from the pool. @throws the error of the driver, always with a code */
  async function take() {
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isNumberLimited(error) || pool.totalCount === 0) throw withCode(error);
        // Requests share the connections that there are.
        pool.options.max = pool.totalCount;
        setTimeout(() => (pool.options.max = address.pool), refusedPause).unref();
      }
    }
  }

  /** Returns a connection that is not in use. */
  async function open(): Promise<Connection> {
    const client = await take();
    const { socket } = client as unknown as SocketClient;
    return {
      send: async <Row>(text: string, ...values: Value[]) => {
        cork(socket);
        try {
          return (await client.query(qualified(text, values))).rows as Row[];
        } catch (error) {
          throw withCode(error);
        }
      },
      release: (isLost) => {
        client.release(isLost);
        // A server that does not respond would not close it.
        if (isLost === true) socket.destroy();
      },
    };
  }

  const isScarce = (): boolean => pool.waitingCount > pool.idleCount;

  return {
    /** Returns a connection for a read, which never waits for a write. */
    read: createSharing(open, Math.ceil(address.pool / 5), isScarce),
    /** Returns a connection for a statement that writes. */
    write: createSharing(open, Math.ceil((address.pool * 2) / 5), isScarce),
    /** Returns a connection for a transaction. */
    open,
    /** Closes all connections once unused. Does not wait for a server that does not respond. */
    close: async (): Promise<void> => {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, endTimeout);
      await pool.end();
      await Promise.all([...sockets].map((socket) => once(socket, "close")));
      clearTimeout(timer);
    },
  };
}

/** A connection that several statements use at the same time. PostgreSQL answers them in turn. */
interface Shared {
  readonly connection: Promise<Connection>;
  /** Statements without a result yet. */
  pending: number;
  /** When it began to wait for the result that comes next. */
  waitingSince: number;
  isLost: boolean;
}

/** Milliseconds without a result after which no statement is added: one may wait for a lock. */
const patience = 100;

/**
 * Returns a function that returns a connection for a statement outside of a transaction. Uses at
 * most `max` connections, each for several statements at once, and more only while none responds.
 * Sharing costs a third of the processor time, mostly system calls. An idle one is released.
 *
 * @param isScarce whether others wait for a connection, so that each statement should wait its turn
 */
function createSharing(
  open: () => Promise<Connection>,
  max: number,
  isScarce: () => boolean,
): () => Promise<Connection> {
  const used = new Set<Shared>();

  function leastUsed(now: number): Shared | undefined {
    if (used.size < max || isScarce()) return undefined;
    let least: Shared | undefined;
    for (const shared of used) {
      const isResponding = now - shared.waitingSince < patience;
      if (isResponding && shared.pending < (least?.pending ?? Infinity)) least = shared;
    }
    return least;
  }

  return async () => {
    const now = performance.now();
    const shared = leastUsed(now) ?? {
      connection: open(),
      pending: 0,
      waitingSince: now,
      isLost: false,
    };
    used.add(shared);
    shared.pending += 1;
    const leave = (isLost = false): void => {
      shared.pending -= 1;
      shared.waitingSince = performance.now();
      shared.isLost ||= isLost;
      if (shared.isLost || shared.pending === 0) used.delete(shared);
    };
    try {
      const connection = await shared.connection;
      const release = (isLost?: boolean): void => {
        leave(isLost);
        if (shared.pending === 0) connection.release(shared.isLost);
      };
      return { ...connection, release };
    } catch (error) {
      leave(true);
      throw error;
    }
  };
}

/** Sends everything that is written in this turn of the event loop with one system call. */
function cork(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  nextTick(() => socket.uncork());
}

/** Creates a pool. Settings are made by SET, because PostgreSQL poolers drop startup parameters. */
function createPool(address: Address, limits: Limits): Pool {
  const { host, port, user, database, tls, connectTimeout, applicationName } = address;
  const pool = new Pool({
    Client: SocketClient,
    host,
    port,
    user,
    database,
    // A function, because the driver reads the environment for an undefined password.
    password: async () => {
      const password = await passwordOf(address);
      if (password !== undefined) return password;
      throw withCode(new Error("the server asks for a password"), noPassword);
    },
    ssl: tls,
    max: address.pool,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: limits.statement + graceForNetwork,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    sslnegotiation: "postgres",
    onConnect: async (client) => {
      await client.query(
        `SET application_name = ${escapeLiteral(applicationName)}; SET client_encoding = 'UTF8';
         SET statement_timeout = ${limits.statement}; SET lock_timeout = ${lockTimeout};
         SET idle_in_transaction_session_timeout = ${limits.idle};
         SET plan_cache_mode = force_generic_plan`,
      );
    },
  });
  // A connection that is lost is removed; the statement in progress has the error.
  pool.on("error", () => {});
  return pool;
}

/**
 * Returns a function that adds the schema to the tables of a statement, after these words, because
 * poolers may change the search path. A statement with values is prepared, under the same name for
 * the same text in all processes, because a pooler may share what one of them prepared.
 */
function qualifier(schema: string) {
  const table = new RegExp(
    String.raw`\b(FROM|JOIN|INTO|UPDATE|TABLE|REFERENCES|INDEX \w+ ON)\s+(?=(?:${tables.join("|")})\b)`,
    "g",
  );
  const known = new Map<string, { readonly text: string; readonly name: string }>();
  return (text: string, values: unknown[]) => {
    let statement = known.get(text);
    if (statement === undefined) {
      const own = text.replace(table, `$1 ${schema}.`);
      const name = hash("sha256", own, "base64url").slice(0, 32);
      known.set(text, (statement = { text: own, name }));
    }
    return values.length > 0 ? { ...statement, values } : statement.text;
  };
}

/** Returns a driver error with a code. Of a host's several addresses, the first one's counts. */
function withCode(error: unknown, code = noCode): Error {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const found = first ?? (error as Error);
  return codeOf(found) === "" ? Object.assign(found, { code }) : found;
}

/** Returns whether the connection is lost. The outcome of pending statements is then unknown. */
export function isLost(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  // An error of a statement has severity ERROR and leaves the connection open.
  return severity !== "ERROR" || /^(?:57P0|08)/.test(codeOf(error));
}

/**
 * Returns whether the database rolled back because of a conflict, so that a retry is safe. One is a
 * reference to a record deleted since the statement began, or a name taken since then.
 */
export function isContended(error: unknown): boolean {
  return /^(?:40001|40P01|23503|23505)$/.test(codeOf(error));
}

/** Returns whether the server refused a connection over a limit of role, database or server. */
function isNumberLimited(error: unknown): boolean {
  return /^53[34]00$/.test(codeOf(error));
}
