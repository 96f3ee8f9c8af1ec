import { setTimeout } from "node:timers/promises";
import { SendctlError } from "../../core/error.ts";

/** Why a server is not ready, in fixed words. */
export type NotReady = "draining" | "database" | "writes blocked";

/** Milliseconds for which a result is reused, so that frequent requests do not load the database. */
const validity = 250;

/** Milliseconds after which a database that does not respond counts as unusable. */
const timeout = 3000;

/**
 * Creates a check that returns why the database is not ready; undefined if it accepts reads and writes.
 *
 * @param checkHealth rejects if the database cannot be used
 * @param elapsed monotonic time in milliseconds
 */
export function createReadiness(
  checkHealth: () => Promise<void>,
  elapsed: () => number,
): () => Promise<NotReady | undefined> {
  let current: Promise<NotReady | undefined> | undefined;
  let doneAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<NotReady | undefined> {
    const checked = checkHealth().then(() => undefined, causeOf);
    try {
      return await Promise.race([
        checked,
        setTimeout(timeout, "database" as const, { ref: false }),
      ]);
    } finally {
      doneAt = elapsed();
    }
  }

  return () => {
    // While a check runs, `doneAt` is in the future, and requests share it.
    if (elapsed() >= doneAt + validity) {
      doneAt = Number.POSITIVE_INFINITY;
      current = check();
    }
    return current!;
  };
}

function causeOf(error: unknown): NotReady {
  if (!(error instanceof SendctlError) || error.kind !== "database") throw error;
  return error.database === "locked" ? "writes blocked" : "database";
}
