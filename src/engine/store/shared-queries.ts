/** A value of a statement. Neither lists nor booleans are the same on both databases. */
type SharedValue = string | number | null | Uint8Array;

/** Runs statements that are the same on SQLite and PostgreSQL. $1 is the first value, $2 the second. */
export interface SharedQueries {
  /** Returns the rows that a statement reads. */
  readonly select: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
  /** Does the same at once, without waiting for other reads. */
  readonly selectNow: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
  /** Runs a statement that changes rows, and returns those that it names with RETURNING. Durable when fulfilled. */
  readonly change: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
}

/**
 * Returns whether both databases can store a text. A text that they cannot store is never looked up: PostgreSQL refuses
 * NUL, and the addon of SQLite would replace lone surrogates with U+FFFD, and find another record.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}
