import type { Duplex } from "node:stream";
import { Client, types as usualTypes } from "pg";
import type { Address } from "./address.ts";
import { codeOf, ended, noPassword, noTls, timedOut } from "./database-error.ts";

export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

/** One statement. Whatever is in its values stays out of its text. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
  /** Whether the connection is to keep its plan. */
  readonly isPrepared?: boolean;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Rows that were read or changed. */
  readonly count: number;
  /** What was done: COMMIT, say. */
  readonly command: string;
}

/** A connection, on which statements may be sent before the earlier ones are answered. */
export interface Connection {
  readonly send: (statement: Statement) => Promise<StatementResult>;
  /** Statements that are not answered yet. */
  readonly pending: () => number;
  readonly isClosed: () => boolean;
  /** At once, whatever is under way. */
  readonly destroy: () => void;
  readonly end: () => Promise<void>;
}

/** In milliseconds: nothing waits for ever. */
export interface Limits {
  /** For one statement. */
  readonly statement: number;
  /** For what others hold. */
  readonly lock: number;
}

/** In milliseconds, beyond those of a statement: for what comes no more, and nobody told. */
const graceForNetwork = 5000;
const idleInTransaction = 60_000;
const keepAliveDelay = 10_000;

/** Of PostgreSQL: 64 bits. No id, count or time of ours goes beyond what a number holds. */
const int8 = 20;

const types = {
  getTypeParser: (type: number, format?: "text" | "binary"): unknown =>
    type === int8 ? Number : usualTypes.getTypeParser(type, format),
};

/** @throws the error of the driver */
export async function connect(address: Address, limits: Limits): Promise<Connection> {
  const client = new Client({
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    // What is undefined, the driver would look for in the environment of the process.
    password: passwordOf(address),
    ssl: address.tls as object,
    application_name: address.applicationName,
    client_encoding: "UTF8",
    options: `-c search_path=${address.schema}`,
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: idleInTransaction,
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
  // The driver gives no code to what it ends itself.
  inner.once("end", () => {
    isClosed = true;
  });
  let response: string | undefined;
  if (address.tls !== false) {
    inner.stream.once("data", (first: Buffer) => (response = first.toString("latin1", 0, 1)));
  }
  const timer = setTimeout(() => {
    inner.stream.destroy(withCode(new Error("no response in time"), timedOut));
  }, address.connectTimeout);
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

  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `s${names.size + 1}`;
    names.set(text, name);
    return name;
  };

  return {
    send: async ({ text, values = [], isPrepared = false }) => {
      pending += 1;
      // Every answer begins the wait for the next anew.
      if (watch === undefined) watch = setTimeout(destroy, limits.statement + graceForNetwork);
      try {
        const result = await client.query({
          ...(isPrepared ? { name: nameOf(text) } : {}),
          text,
          values: values as unknown[],
        });
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
    pending: () => pending,
    isClosed: () => isClosed,
    destroy,
    end: async () => {
      isClosed = true;
      clearTimeout(watch);
      await client.end();
    },
  };
}

/** What lies below the driver's client, and is not in its types. */
interface Inner {
  readonly stream: Duplex;
  readonly once: (event: "end", listener: () => void) => void;
}

/** Called once the server asks. @throws an error with the code of a missing password */
function passwordOf({ password }: Address): () => string {
  return () => {
    if (password !== undefined) return password;
    throw withCode(new Error("the server asks for a password"), noPassword);
  };
}

/** Gives a code to an error that has none. */
function withCode(error: unknown, code: string): Error {
  return codeOf(error) === "" ? Object.assign(error as Error, { code }) : (error as Error);
}
