import type { Database } from "better-sqlite3";

/**
 * Says of which database a clock is, and how many transactions that had when the clock was written. Both are
 * in each copy of the clock's page, in the file as in its log, which is how a log is known to belong to a file.
 */
export interface Mark {
  /** In hexadecimal. */
  readonly database: string;
  readonly turn: number;
}

/** The version from which on clocks are marked. */
const markedSince = 4;

/** Counts a transaction, in each one that changes something. */
export const countTurn = "turn = turn + 1";

/** Gives a copy an identity of its own: the log of the original is not the copy's log. */
export function markAsOwn(copy: Database): void {
  const version = copy.pragma("user_version", { simple: true }) as number;
  if (version >= markedSince) copy.exec("UPDATE clock SET database_id = randomblob(16)");
}

/** The page of a table whose rows are on it. */
const leafOfTable = 0x0d;

/** Reads the mark from the page of the clock; undefined for any other page, or one of an earlier version. */
export function markOf(page: Buffer): Mark | undefined {
  try {
    if (page[0] !== leafOfTable || page.readUInt16BE(3) !== 1) return undefined;
    const row = createReader(page, page.readUInt16BE(8));
    row.varint();
    row.varint();
    const begin = row.position();
    const end = begin + row.varint();
    const types: number[] = [];
    while (row.position() < end) types.push(row.varint());
    const [newest = 0, id, turn] = types;
    // 44: a blob of 16 bytes.
    if (types.length !== 3 || id !== 44) return undefined;
    row.integer(newest);
    return { database: row.hex(16), turn: row.integer(turn!) };
  } catch {
    // Beyond the end of the page.
    return undefined;
  }
}

/** Bytes of an integer, by its serial type in a record. */
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
