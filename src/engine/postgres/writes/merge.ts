import type { Statement, StatementResult, Value } from "../connection/connection.ts";

/** A statement of a write. */
export interface WriteStatement extends Statement {
  /**
   * Whether neighbours with the same text and first value become one statement. Its text takes an array for each other
   * value, and returns one row for each statement, in their order.
   */
  readonly isMergeable?: boolean;
}

type Settled = PromiseSettledResult<StatementResult>;

interface Merged {
  readonly statements: readonly Statement[];
  /** Returns the result of each original statement. */
  readonly resultsOf: (results: readonly Settled[]) => Settled[];
}

/** Merges the statements of a batch: one insert of many rows takes a fraction of the time of many inserts. */
export function merge(statements: readonly WriteStatement[]): Merged {
  const runs: WriteStatement[][] = [];
  for (const statement of statements) {
    const last = runs.at(-1);
    if (last !== undefined && canMerge(last[0]!, statement)) last.push(statement);
    else runs.push([statement]);
  }
  return {
    statements: runs.map((run) => (run[0]!.isMergeable === true ? merged(run) : run[0]!)),
    resultsOf: (results) =>
      runs.flatMap((run, index) =>
        run[0]!.isMergeable === true
          ? run.map((_, place) => resultAt(results[index]!, place))
          : results[index]!,
      ),
  };
}

function canMerge(one: WriteStatement, other: WriteStatement): boolean {
  return (
    one.isMergeable === true && one.text === other.text && one.values?.[0] === other.values?.[0]
  );
}

function merged(run: readonly WriteStatement[]): Statement {
  const [first, ...others] = run[0]!.values ?? [];
  const columns = others.map((_, index) => run.map(({ values }) => values![index + 1]!));
  return { ...run[0]!, values: [first!, ...(columns as Value[])] };
}

function resultAt(result: Settled, place: number): Settled {
  if (result.status === "rejected") return result;
  const { rows, command } = result.value;
  return { status: "fulfilled", value: { rows: [rows[place]], count: 1, command } };
}
