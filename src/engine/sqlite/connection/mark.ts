import type { Database } from "better-sqlite3";
import type { CopiedClock } from "../../maintenance/copy.ts";

/**
 * Identifies the database that a clock belongs to, and the number of its transactions when the
 * clock was written. Both are in every copy of the clock's page, in the file and in the log, which
 * shows whether a log belongs to a file.
 */
export interface Mark {
  /** Hexadecimal. */
  readonly database: string;
  readonly turn: number;
}

/**
 * The SQL assignment that counts a transaction. Every transaction that changes something runs it.
 */
export const countTurn = "turn = turn + 1";

/**
 * Gives a copy a new identity, so that the log of the original does not count as the log of the
 * copy. A copy without tables has none.
 */
export function assignNewIdentity(copy: Database): void {
  if (copy.pragma("user_version", { simple: true }) === 0) return;
  copy.exec("UPDATE clock SET database_id = randomblob(16)");
}

/** Returns after what the next records of a database continue. */
export function readClock(database: Database): CopiedClock {
  const ids = database.prepare<[]>("SELECT name, seq FROM sqlite_sequence").raw().all();
  const newest = database.prepare<[]>("SELECT newest FROM clock").pluck().get() as number;
  return { lastIds: Object.fromEntries(ids as [string, number][]), newest };
}

/** Makes the next records of a database continue after those of another one, too. */
export function raiseClock(database: Database, { lastIds, newest }: CopiedClock): void {
  const raise = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
  const add = database.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
  for (const [table, last] of Object.entries(lastIds)) {
    if (raise.run(last, table).changes === 0) add.run(last, table);
  }
  database.prepare(`UPDATE clock SET newest = max(newest, ?), ${countTurn}`).run(newest);
}

/** The type of a page that holds the rows of a table. */
const tableLeafType = 0x0d;

/** The serial type of a blob of 16 bytes. */
const idType = 44;

/** Size of an integer in bytes, by its serial type. The types 8 and 9 are 0 and 1, without bytes. */
const integerBytes: readonly number[] = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0];

/** Reads the mark from the clock's page; undefined for any other page. */
export function markOf(page: Buffer): Mark | undefined {
  try {
    if (page[0] !== tableLeafType || page.readUInt16BE(3) !== 1) return undefined;
    const row = page.subarray(page.readUInt16BE(8));
    // A row begins with its length, its rowid and a header of its own length and the type of each value. Each of them
    // is one byte, because the only row of the clock is short.
    const [, , headerBytes, newest, id, turn] = row;
    if (headerBytes !== 4 || id !== idType) return undefined;
    const idAt = 6 + integerBytes[newest!]!;
    const turnAt = idAt + 16;
    const isConstant = turn === 8 || turn === 9;
    return {
      database: row.toString("hex", idAt, turnAt),
      turn: isConstant ? turn - 8 : row.readUIntBE(turnAt, integerBytes[turn!]!),
    };
  } catch {
    // The row runs past the end of the page.
    return undefined;
  }
}
