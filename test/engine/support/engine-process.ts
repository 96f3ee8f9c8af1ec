/** A process of its own that does jobs on databases: see processes.ts. It ends when its parent lets go. */

import type { OperationName } from "../../../src/contract/operations.ts";
import type { DatabaseProblem } from "../../../src/contract/error.ts";
import type { Reply, Service } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration } from "../../../src/engine/store.ts";

export interface Job {
  readonly file: string;
  /** When to begin, in milliseconds since 1970, so that several processes begin together. */
  readonly at?: number;
  readonly calls: readonly (readonly [operation: OperationName, input: unknown])[];
}

export interface Thrown {
  readonly name: string;
  readonly kind?: string;
  readonly message: string;
  readonly hint?: string;
  readonly database?: DatabaseProblem;
}

export interface Outcome {
  /** What opening the database threw. */
  readonly refused?: Thrown;
  /** For each call its reply, or what it threw. */
  readonly answers: readonly (Reply | Thrown)[];
}

function thrown(error: unknown): Thrown {
  const { name, kind, message, hint, database } = error as Thrown;
  return JSON.parse(JSON.stringify({ name, kind, message, hint, database })) as Thrown;
}

async function answer(engine: Service, [operation, input]: Job["calls"][number]) {
  try {
    return await (engine[operation] as (input: unknown) => Promise<Reply>)(input);
  } catch (error) {
    return thrown(error);
  }
}

async function doJob({ file, at = 0, calls }: Job): Promise<Outcome> {
  // Not asleep: whoever wakes up late has not begun together with the others.
  while (Date.now() < at);
  const answers: (Reply | Thrown)[] = [];
  try {
    const store = openSqliteStore(file, () => Date.now() * 1000);
    const engine = createEngine(store, defaultIntegration);
    for (const call of calls) answers.push(await answer(engine, call));
    await store.close();
    return { answers };
  } catch (error) {
    return { refused: thrown(error), answers };
  }
}

process.on("message", (job: Job) => {
  void doJob(job).then((outcome) => process.send?.(outcome));
});
