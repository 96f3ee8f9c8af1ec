/**
 * Runs jobs on databases in a separate process: see start-engine-processes.ts. It ends when its
 * parent disconnects.
 */

import type { OperationName } from "../../../src/contract/operations.ts";
import type { DatabaseProblem } from "../../../src/core/error.ts";
import type { Reply, Service } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";

export interface Job {
  readonly file: string;
  /** When to start, in milliseconds since 1970, so that several processes start together. */
  readonly at?: number;
  readonly calls: readonly (readonly [operation: OperationName, input: unknown])[];
}

export interface Thrown {
  readonly name: string;
  readonly kind?: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: { readonly database?: DatabaseProblem };
}

export interface Outcome {
  /** The error of opening the database. */
  readonly refused?: Thrown;
  /** The reply to each call, or the error it threw. */
  readonly results: readonly (Reply | Thrown)[];
}

function thrown(error: unknown): Thrown {
  const { name, kind, message, hint, details } = error as Thrown;
  return JSON.parse(
    JSON.stringify({ name, kind, message, hint, details: { database: details?.database } }),
  ) as Thrown;
}

async function callEngine(engine: Service, [operation, input]: Job["calls"][number]) {
  try {
    return await (engine[operation] as (input: unknown) => Promise<Reply>)(input);
  } catch (error) {
    return thrown(error);
  }
}

async function runJob({ file, at = 0, calls }: Job): Promise<Outcome> {
  // Busy-waits, because a process that wakes up late would not start together with the others.
  while (Date.now() < at);
  const results: (Reply | Thrown)[] = [];
  try {
    const store = openSqliteStore(file, () => Date.now() * 1000);
    const engine = createEngine(store, defaultIntegration);
    for (const call of calls) results.push(await callEngine(engine, call));
    await store.close();
    return { results };
  } catch (error) {
    return { refused: thrown(error), results };
  }
}

process.on("message", (job: Job) => {
  void runJob(job).then((outcome) => process.send?.(outcome));
});
