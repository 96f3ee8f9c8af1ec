import { SendctlError } from "../../contract/error.ts";
import type { Address } from "./connection/address.ts";
import type { StatementResult, Connection, Limits, Statement } from "./connection/connection.ts";
import type { Connections } from "./connection/connections.ts";
import { codeOf, isContended, isLost, addressText } from "./connection/database-error.ts";
import { failureOf } from "./connection/failure.ts";

/** A write: statements whose values are known before, and what their answers mean. */
interface Write<Result> {
  readonly statements: readonly Statement[];
  readonly result: (answers: readonly StatementResult[]) => Result;
}

/** A transaction that reads what it writes next. */
type Body<Result> = (connection: Connection) => Promise<Result>;

export interface Writes {
  /** All or nothing, and durable when fulfilled; those of the same moment share a transaction. */
  readonly write: <Result>(write: Write<Result>) => Promise<Result>;
  /**
   * The same for what takes more than a moment, on a connection of its own.
   *
   * @param prepare done there before others have to wait
   */
  readonly transact: <Result>(
    body: Body<Result>,
    limits?: Partial<Limits>,
    prepare?: Body<void>,
  ) => Promise<Result>;
  /** Fulfilled when nothing is under way. */
  readonly settled: () => Promise<void>;
}

/** How prepared it is tried again what was undone because of others, or never came about. */
const maxAttempts = 5;

/** In milliseconds: to find out what became of a transaction whose connection was lost. */
const timeout = 10_000;

/** Writes that share a transaction, at most: others wait for it. */
const maxBatchSize = 500;

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of a transaction whose connection was lost. */
type Outcome = "done" | "not done" | "unknown";

const begin: Statement = { text: "BEGIN" };
const commit: Statement = { text: "COMMIT" };

/** Whoever writes waits here for the others: ids, times and commits have one order. */
const lock: Statement = { text: "SELECT newest FROM clock FOR UPDATE", isPrepared: true };

/** Leaves a mark that is there if the transaction was committed; refused where a fence was put up. */
const mark = (writer: string, turn: number): Statement => ({
  text: `INSERT INTO writer (id, turn) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET turn = excluded.turn, at = excluded.at`,
  values: [writer, turn],
  isPrepared: true,
});

/** Marks that nobody asks for any more: those of processes that have ended. */
const forget: Statement = {
  text: "DELETE FROM writer WHERE at < now() - interval '1 hour'",
};

/**
 * Writes of one process. A transaction is sent as a whole, commit and all, without waiting for an answer
 * in between: nobody else waits for this process's network. What is asked for while one is under way
 * becomes the next. Where the connection is lost, nobody knows whether the commit came about: then the
 * mark tells, once a fence keeps a transaction from being carried out late.
 */
export function createWrites(
  connections: Connections,
  address: Address,
  newUuid: () => string,
): Writes {
  const writer = newUuid();
  let turn = 0;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatchSize);
      waiting = waiting.slice(maxBatchSize);
      await together(batch, 1);
    }
    running = undefined;
  }

  async function together(batch: readonly Waiting[], attempt: number): Promise<void> {
    let connection: Connection;
    try {
      connection = await connections.writing();
    } catch (error) {
      // Nothing was sent.
      return rejectAll(batch, await failureOf(error, address));
    }
    turn += 1;
    const isFirst = turn === 1;
    const before = [begin, lock, mark(writer, turn), ...(isFirst ? [forget] : [])];
    const statements = [...before, ...batch.flatMap(({ write }) => write.statements), commit];
    const answers = await Promise.allSettled(statements.map(connection.send));
    const last = answers.at(-1)!;
    const faults = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (last.status === "fulfilled" && last.value.command === "COMMIT") {
      return resolveAll(batch, answers.slice(before.length));
    }
    const fault = faults.find((one) => codeOf(one) !== inFailed) as unknown;
    if (faults.some(isLost)) {
      connection.destroy();
      const outcome = await outcomeOf(writer, turn);
      if (outcome === "done") return resolveAll(batch, answers.slice(before.length));
      if (outcome === "unknown") return rejectAll(batch, unknown(fault));
      if (attempt < maxAttempts) return together(batch, attempt + 1);
      return rejectAll(batch, await failureOf(fault, address));
    }
    if (isContended(fault) && attempt < maxAttempts) return together(batch, attempt + 1);
    const isOfOne = answers.slice(0, before.length).every(({ status }) => status === "fulfilled");
    if (!isOfOne || batch.length === 1) return rejectAll(batch, await failureOf(fault, address));
    // One of them is at fault, and undid the others.
    for (const one of batch) await together([one], 1);
  }

  function resolveAll(
    batch: readonly Waiting[],
    answers: readonly PromiseSettledResult<StatementResult>[],
  ): void {
    let next = 0;
    for (const { write, resolve, reject } of batch) {
      const own = answers.slice(next, (next += write.statements.length));
      const got = own.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const fault = own.find((one) => one.status === "rejected");
      try {
        if (fault === undefined) resolve(write.result(got) as never);
        // It was done, but what was answered was lost on the way.
        else reject(unknown(fault.reason));
      } catch (error) {
        reject(error);
      }
    }
  }

  function unknown(cause: unknown): SendctlError {
    const message = `lost the connection to the database ${addressText(address)}. The write may be done`;
    const hint = "list the records before you retry";
    return new SendctlError("outcome_unknown", message, { hint, cause });
  }

  async function outcomeOf(writer: string, turn: number): Promise<Outcome> {
    const deadline = Date.now() + timeout;
    for (let pause = 20; ; pause = Math.min(1000, pause * 2)) {
      try {
        return await readMark(writer, turn);
      } catch {
        if (Date.now() + pause > deadline) return "unknown";
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async function readMark(writer: string, turn: number): Promise<Outcome> {
    const connection = await connections.own({ lock: timeout, statement: timeout });
    try {
      const answers = await Promise.all(
        [
          begin,
          // What is being carried out right now is waited for.
          lock,
          {
            text: `INSERT INTO writer (id, turn, fence) VALUES ($1, 0, $2)
                   ON CONFLICT (id) DO UPDATE SET fence = excluded.fence
                   WHERE writer.turn <> excluded.fence`,
            values: [writer, turn],
          },
          { text: "SELECT turn FROM writer WHERE id = $1", values: [writer] },
          commit,
        ].map(connection.send),
      );
      const [row] = answers[3]!.rows as { turn: number }[];
      return row!.turn === turn ? "done" : "not done";
    } finally {
      connection.destroy();
    }
  }

  const underWay = new Set<Promise<unknown>>();

  async function transact<Result>(
    body: Body<Result>,
    limits: Partial<Limits> | undefined,
    prepare: Body<void> | undefined,
  ): Promise<Result> {
    const own = newUuid();
    for (let attempt = 1; ; attempt += 1) {
      let connection: Connection | undefined;
      let isCommitting = false;
      let result: Result | undefined;
      try {
        connection = await connections.own(limits);
        await prepare?.(connection);
        await Promise.all([begin, lock, mark(own, attempt)].map(connection.send));
        result = await body(connection);
        isCommitting = true;
        await connection.send(commit);
        return result;
      } catch (error) {
        if (isCommitting && isLost(error)) {
          const outcome = await outcomeOf(own, attempt);
          if (outcome === "done") return result as Result;
          if (outcome === "unknown") throw unknown(error);
        } else if (isContended(error) && prepare === undefined && attempt < maxAttempts) continue;
        throw await failureOf(error, address);
      } finally {
        // What was begun is undone with the connection.
        connection?.destroy();
      }
    }
  }

  return {
    write: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject });
        running ??= Promise.resolve().then(run);
      }),
    transact: (body, limits, prepare) => {
      const done = transact(body, limits, prepare);
      underWay.add(done);
      const forgotten = (): void => void underWay.delete(done);
      done.then(forgotten, forgotten);
      return done;
    },
    settled: async () => {
      await Promise.allSettled([running, ...underWay]);
    },
  };
}

/** SQLSTATE of every statement after the one that failed. */
const inFailed = "25P02";

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
