import type { Duplex } from "node:stream";
import { Client, types as defaultTypes } from "pg";
import type { Address } from "./address.ts";
import { codeOf, ended, noPassword, noTls, timedOut } from "./database-error.ts";

export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null | Uint8Array)[];

/** One statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
  /** Whether to use a named prepared statement. */
  readonly isPrepared?: boolean;
}

/** Creates a statement that is sent as a prepared one. */
export function prepared(text: string, ...values: Value[]): Statement {
  return { text, values, isPrepared: true };
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Number of rows read or changed. */
  readonly count: number;
  /** The command tag, such as COMMIT. */
  readonly command: string;
}

/** A connection with pipelining: statements can be sent before earlier ones have finished. */
export type Connection = Awaited<ReturnType<typeof connect>>;

/** Timeouts in milliseconds. */
export interface Limits {
  /** For one statement. */
  readonly statement: number;
  /** For locks held by others. */
  readonly lock: number;
  /** For the next statement of an open transaction (default: a minute). PostgreSQL then rolls back and disconnects. */
  readonly idle?: number;
}

/** Milliseconds after the statement timeout until a silent connection is considered dead. */
const graceForNetwork = 5000;
const idleInTransaction = 60_000;
/** Milliseconds for the server to close a connection that is ended. */
const endTimeout = 2000;
const keepAliveDelay = 10_000;

/** PostgreSQL's type of 64-bit integers. Our ids, counts and times all fit a JavaScript number. */
const int8 = 20;

const types = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === int8
      ? Number
      : (defaultTypes.getTypeParser(type, format) as (text: string) => unknown),
};

/**
 * Opens a connection.
 *
 * @throws the error of the driver
 */
export async function connect(address: Address, limits: Limits) {
  const client = new Client({
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    // A function, because the driver reads the environment for an undefined password.
    password: passwordOf(address),
    ssl: address.tls as object,
    application_name: address.applicationName,
    client_encoding: "UTF8",
    options: `-c search_path=${address.schema}`,
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idle ?? idleInTransaction,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    types,
    pipeline: true,
    sslnegotiation: "postgres",
  });
  const { connection: inner } = client as unknown as { readonly connection: Inner };
  let isClosed = false;
  let pending = 0;
  let watch: NodeJS.Timeout | undefined;
  const names = new Map<string, string>();
  const destroy = (): void => {
    isClosed = true;
    clearTimeout(watch);
    inner.stream.destroy();
  };
  // The driver's error for a closed connection has no code, so its end is noted here.
  inner.once("end", () => {
    isClosed = true;
  });
  /** The server's reply to the TLS request: "S" to accept, "N" to refuse. */
  let response: string | undefined;
  if (address.tls !== false) {
    inner.stream.once("data", (first: Buffer) => (response = first.toString("latin1", 0, 1)));
  }
  const giveUp = (): void =>
    void inner.stream.destroy(withCode(new Error("no response in time"), timedOut));
  const timer = setTimeout(giveUp, address.connectTimeout);
  client.on("error", () => {
    isClosed = true;
  });
  client.on("end", () => {
    isClosed = true;
    clearTimeout(watch);
  });
  try {
    await client.connect();
  } catch (error) {
    const refusal = response === "N" ? noTls : ended;
    const isRefused = response !== undefined && response !== "S";
    const failure = isClosed || isRefused ? withCode(error, refusal) : error;
    destroy();
    throw failure;
  } finally {
    clearTimeout(timer);
  }

  let isCorked = false;
  /** Sends everything that is written in this turn of the event loop with one system call. */
  const cork = (): void => {
    if (isCorked) return;
    isCorked = true;
    const { stream } = inner;
    stream.cork();
    queueMicrotask(() => {
      isCorked = false;
      stream.uncork();
    });
  };

  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `s${names.size + 1}`;
    names.set(text, name);
    return name;
  };

  return {
    send: async ({
      text,
      values = [],
      isPrepared = false,
    }: Statement): Promise<StatementResult> => {
      pending += 1;
      cork();
      // Every result restarts the timer for the next one.
      if (watch === undefined) watch = setTimeout(destroy, limits.statement + graceForNetwork);
      try {
        const name = isPrepared ? { name: nameOf(text) } : {};
        const result = await client.query({ ...name, text, values: values as unknown[] });
        return { rows: result.rows, count: result.rowCount ?? 0, command: result.command };
      } catch (error) {
        throw isClosed ? withCode(error, ended) : error;
      } finally {
        pending -= 1;
        if (pending > 0 && !isClosed) watch.refresh();
        else {
          clearTimeout(watch);
          watch = undefined;
        }
      }
    },
    /** Number of statements without a result yet. */
    pending: (): number => pending,
    isClosed: (): boolean => isClosed,
    /** Closes the connection at once and aborts pending statements. */
    destroy,
    end: async (): Promise<void> => {
      isClosed = true;
      clearTimeout(watch);
      // A server that does not respond would otherwise keep this process running.
      const timer = setTimeout(destroy, endTimeout);
      try {
        await client.end();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The internal connection of the driver's client, which is missing from its types. */
interface Inner {
  readonly stream: Duplex;
  readonly once: (event: "end", listener: () => void) => void;
}

/** Returns a function that the driver calls for the password. It throws `noPassword` if there is none. */
function passwordOf({ password }: Address): () => string {
  return () => {
    if (password !== undefined) return password;
    throw withCode(new Error("the server asks for a password"), noPassword);
  };
}

/** Adds a code to an error without one. */
function withCode(error: unknown, code: string): Error {
  return codeOf(error) === "" ? Object.assign(error as Error, { code }) : (error as Error);
}
