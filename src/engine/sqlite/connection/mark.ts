import type { Database } from "better-sqlite3";

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

/** The first schema version whose clock has a mark. */
const firstMarkedVersion = 4;

/**
 * The SQL assignment that counts a transaction. Every transaction that changes something runs it.
 */
export const countTurn = "turn = turn + 1";

/**
 * Gives a copy a new identity, so that the log of the original does not count as the log of the
 * copy.
 */
export function assignNewIdentity(copy: Database): void {
  const version = copy.pragma("user_version", { simple: true }) as number;
  if (version >= firstMarkedVersion) copy.exec("UPDATE clock SET database_id = randomblob(16)");
}

/** The type of a page that holds the rows of a table. */
const tableLeafType = 0x0d;

/**
 * Reads the mark from the clock's page; undefined for any other page, or for an earlier schema
 * version.
 */
export function markOf(page: Buffer): Mark | undefined {
  try {
    if (page[0] !== tableLeafType || page.readUInt16BE(3) !== 1) return undefined;
    const row = createReader(page, page.readUInt16BE(8));
    row.varint();
    row.varint();
    const begin = row.position();
    const end = begin + row.varint();
    const types: number[] = [];
    while (row.position() < end) types.push(row.varint());
    const [newest = 0, id, turn] = types;
    // Serial type 44 is a blob of 16 bytes.
    if (types.length !== 3 || id !== 44) return undefined;
    row.integer(newest);
    return { database: row.hex(16), turn: row.integer(turn!) };
  } catch {
    // The row runs past the end of the page.
    return undefined;
  }
}

/** Size of an integer in bytes, by its serial type. */
const integerBytes: readonly number[] = [0, 1, 2, 3, 4, 6, 8];

function createReader(
  page: Buffer,
  start: number,
): {
  readonly position: () => number;
  readonly varint: () => number;
  readonly integer: (type: number) => number;
  readonly hex: (length: number) => string;
} {
  let at = start;
  return {
    position: () => at,
    varint: () => {
      let value = 0;
      for (;;) {
        const byte = page.readUInt8(at++);
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
    },
    integer: (type) => {
      if (type === 8 || type === 9) return type - 8;
      const length = integerBytes[type] ?? 0;
      let value = 0;
      for (let index = 0; index < length; index += 1) value = value * 256 + page.readUInt8(at++);
      return value;
    },
    hex: (length) => page.toString("hex", at, (at += length)),
  };
}
