import { once } from "node:events";
import type { Duplex } from "node:stream";
import { nextTick } from "node:process";
import { Client, Pool, types as defaultTypes, type PoolClient } from "pg";
import type { Address } from "./address.ts";
import {
  ended,
  isNumberLimited,
  isWithoutPrepared,
  noPassword,
  noTls,
  timedOut,
  withCode,
} from "./database-error.ts";
import { createSharing } from "./sharing.ts";
import { qualifier } from "./tables.ts";

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

/** Runs several statements in one transaction, which is repeated after a conflict. @param attempts how often at most */
export type Transact = <Result>(
  body: (send: Send) => Promise<Result>,
  attempts?: number,
) => Promise<Result>;

/** Timeouts in milliseconds. */
export interface Limits {
  /** For one statement. */
  readonly statement: number;
  /** For locks held by others. */
  readonly lock: number;
  /** For the next statement of an open transaction. PostgreSQL then rolls back and disconnects. */
  readonly idle: number;
}

export const defaultLimits: Limits = { statement: 30_000, lock: 10_000, idle: 10_000 };

/** Milliseconds after the statement timeout until a silent connection is considered dead. */
const graceForNetwork = 5000;
/** Milliseconds for the server to close connections that are ended. */
const endTimeout = 2000;
const keepAliveDelay = 10_000;
/** Milliseconds for which the pool stays at its size after the server has refused a further connection. */
const refusedPause = 2000;

/** PostgreSQL's type of 64-bit integers. Our ids, counts and times all fit a JavaScript number. */
const int8 = 20;

const types = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === int8
      ? Number
      : (defaultTypes.getTypeParser(type, format) as (text: string) => unknown),
};

/** The parts of the driver's client that its types lack. */
interface Inner {
  readonly connection: { readonly stream: Duplex };
  readonly ssl: unknown;
}

const streamOf = (client: PoolClient): Duplex => (client as unknown as Inner).connection.stream;

/** Sends everything that is written in this turn of the event loop with one system call. */
function cork(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  nextTick(() => stream.uncork());
}

/** A client of the driver that tells by a code that the server refuses TLS: the driver has only a message. */
class TlsClient extends Client {
  override connect(callback?: unknown): Promise<never> {
    const { connection, ssl } = this as unknown as Inner;
    let isRefused = false;
    if (ssl !== false && ssl !== undefined) {
      // The reply to the request for TLS: "S", or "N".
      connection.stream.once("data", (first: Buffer) => (isRefused = first[0] !== 0x53));
    }
    const done = callback as (error?: Error) => void;
    const coded = (error?: Error): void =>
      done(error && isRefused ? withCode(error, noTls) : error);
    return super.connect(coded) as unknown as Promise<never>;
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
  const clients = new Set<PoolClient>();
  pool.on("connect", (client) => {
    client.on("error", () => {});
    clients.add(client);
  });
  pool.on("remove", (client) => clients.delete(client));
  const send = createSend(address.schema);

  /** Returns a connection that is not in use. */
  async function open(): Promise<Connection> {
    const client = await take(pool, address);
    return {
      send: (text, ...values) => send(client, text, values),
      release: (isLost) => release(client, isLost),
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
    /** Closes all connections, once they are not in use. A server that does not respond is not waited for. */
    close: async (): Promise<void> => {
      const timer = setTimeout(() => {
        for (const client of clients) streamOf(client).destroy();
      }, endTimeout);
      await pool.end();
      while (clients.size > 0) await once(pool, "remove");
      clearTimeout(timer);
    },
  };
}

/**
 * Creates a pool. Settings are made by SET, because poolers in front of PostgreSQL refuse startup parameters, and
 * statements name the schema of their tables, because poolers may run each transaction on another connection.
 */
function createPool(address: Address, limits: Limits): Pool {
  const pool = new Pool({
    Client: TlsClient,
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    // A function, because the driver reads the environment for an undefined password.
    password: passwordOf(address),
    ssl: address.tls as object,
    application_name: address.applicationName,
    client_encoding: "UTF8",
    max: address.pool,
    connectionTimeoutMillis: address.connectTimeout,
    query_timeout: limits.statement + graceForNetwork,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    types,
    pipeline: true,
    sslnegotiation: "postgres",
    onConnect: async (client) => {
      await client.query(
        `SET statement_timeout = ${limits.statement}; SET lock_timeout = ${limits.lock};
         SET idle_in_transaction_session_timeout = ${limits.idle};
         SET plan_cache_mode = force_generic_plan`,
      );
    },
  });
  // A connection that is lost is removed; the statement in progress has the error.
  pool.on("error", () => {});
  return pool;
}

/** Takes a connection from a pool. @throws the error of the driver, always with a code */
async function take(pool: Pool, address: Address): Promise<PoolClient> {
  for (;;) {
    const started = performance.now();
    try {
      return await pool.connect();
    } catch (error) {
      if (isNumberLimited(error) && pool.totalCount > 0) {
        // Requests share the connections that there are.
        pool.options.max = pool.totalCount;
        setTimeout(() => (pool.options.max = address.pool), refusedPause).unref();
        continue;
      }
      const isLate = performance.now() - started >= address.connectTimeout;
      throw withCode(error, isLate ? timedOut : ended);
    }
  }
}

/** Returns what sends a statement, which is prepared if it has values. */
function createSend(schema: string) {
  const qualified = qualifier(schema);
  let hasPrepared = true;
  return async <Row>(
    client: PoolClient,
    text: string,
    values: readonly Value[],
  ): Promise<Row[]> => {
    const statement = qualified(text);
    const sent = { text: statement.text, values: values as unknown[] };
    const isNamed = hasPrepared && values.length > 0;
    cork(streamOf(client));
    try {
      const named = isNamed ? { ...sent, name: statement.name } : sent;
      return (await client.query(named)).rows as Row[];
    } catch (error) {
      // Behind a pooler that does not know prepared statements.
      if (isNamed && isWithoutPrepared(error)) hasPrepared = false;
      throw withCode(error, ended);
    }
  };
}

function release(client: PoolClient, isLost?: boolean): void {
  client.release(isLost);
  // A server that does not respond would not close it.
  if (isLost === true) streamOf(client).destroy();
}

/** Returns a function that the driver calls for the password. It throws `noPassword` if there is none. */
function passwordOf({ password }: Address): () => string {
  return () => {
    if (password !== undefined) return password;
    throw withCode(new Error("the server asks for a password"), noPassword);
  };
}
