import { SendctlError } from "../../../core/error.ts";
import type { Address } from "../connection/address.ts";
import { addressText } from "../connection/database-error.ts";
import type { Connections } from "../connection/connections.ts";
import type { Statement } from "../connection/connection.ts";

/**
 * The protocol of a transaction, and how its process finds out whether it was committed if its connection was lost:
 *
 *     writer 7f3a, turn 7            another connection, afterwards
 *     BEGIN
 *     lock the clock                 (all writers, one after the other)
 *     turn of 7f3a = 7               (fails if its fence is 7)
 *     statements
 *     COMMIT
 *                                    fence of 7f3a = 7, unless its turn is 7
 *                                    turn of 7f3a = 7? done : it never will be
 *
 * The fence waits for a transaction that has set its turn. One that has not can no longer do so.
 */

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

/** Whether a transaction was committed. */
export type Outcome = "done" | "not done" | "unknown";

/** Returns the outcome of a transaction whose connection was lost. */
export async function outcomeOf(
  connections: Connections,
  writer: string,
  turn: number,
): Promise<Outcome> {
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
