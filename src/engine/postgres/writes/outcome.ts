import { SendctlError } from "../../../core/error.ts";
import type { Address } from "../connection/address.ts";
import { addressText } from "../connection/database-error.ts";
import type { Connections } from "../connection/connections.ts";
import type { Statement } from "../connection/connection.ts";

/**
 * How a process finds out whether a transaction was committed whose connection was lost:
 *
 *     transaction                    other connection, afterwards
 *     BEGIN
 *     lock the clock
 *     mark: turn of writer = 7
 *     statements
 *     COMMIT                         fence of writer = 7, unless its turn is 7
 *                                    turn of writer = 7? committed : it never will be
 *
 * The fence waits for a transaction that has set its mark. One that has not yet can't set it any more.
 */

export const begin: Statement = { text: "BEGIN" };
export const commit: Statement = { text: "COMMIT" };

/** Serializes all writers, so that ids, times and commits have the same order. */
export const lock: Statement = { text: "SELECT newest FROM clock FOR UPDATE", isPrepared: true };

/** Records the turn, which proves later that the transaction was committed. Fails if the turn has a fence. */
export const mark = (writer: string, turn: number): Statement => ({
  text: `INSERT INTO writer (id, turn) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET turn = excluded.turn, at = excluded.at`,
  values: [writer, turn],
  isPrepared: true,
});

const fence = (writer: string, turn: number): Statement => ({
  text: `INSERT INTO writer (id, turn, fence) VALUES ($1, 0, $2)
         ON CONFLICT (id) DO UPDATE SET fence = excluded.fence
         WHERE writer.turn <> excluded.fence`,
  values: [writer, turn],
});

const readTurn = (writer: string): Statement => ({
  text: "SELECT turn FROM writer WHERE id = $1",
  values: [writer],
});

/** Milliseconds to find out an outcome. */
const timeout = 10_000;

/** Returns the outcome of a transaction whose connection was lost. */
export async function outcomeOf(
  connections: Connections,
  writer: string,
  turn: number,
): Promise<"done" | "not done" | "unknown"> {
  const deadline = Date.now() + timeout;
  for (let pause = 20; ; pause = Math.min(1000, pause * 2)) {
    try {
      const connection = await connections.own({ lock: timeout, statement: timeout });
      try {
        await connection.send(fence(writer, turn));
        const [row] = (await connection.send(readTurn(writer))).rows as { turn: number }[];
        return row!.turn === turn ? "done" : "not done";
      } finally {
        connection.destroy();
      }
    } catch {
      if (Date.now() + pause > deadline) return "unknown";
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Returns the error of a write whose outcome is unknown. */
export function unknownOutcome(address: Address, cause: unknown, attempts: number): SendctlError {
  const message = `lost the connection to the database ${addressText(address)}; the write may have succeeded`;
  const hint = "list the records before you retry";
  return new SendctlError("outcome_unknown", message, { hint, cause, attempts });
}
