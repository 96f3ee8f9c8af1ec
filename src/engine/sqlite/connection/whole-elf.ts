import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * Returns whether an ELF file is as long as its headers say. Loading a truncated one ends the
 * process with SIGBUS. Any other file counts as complete: macOS and Windows check the length of
 * their own formats themselves.
 *
 * @throws the error of the file system
 */
export function isWholeElf(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const header = Buffer.alloc(64);
    if (readSync(descriptor, header, 0, 64, 0) < 64) return true;
    const [is64, isLittle] = [header[4] === 2, header[5] === 1];
    if (header.toString("latin1", 0, 4) !== "\x7fELF" || !is64 || !isLittle) return true;
    // The section table is at the end of the file.
    const [offset, size, count] = [
      Number(header.readBigUInt64LE(40)),
      header.readUInt16LE(58),
      header.readUInt16LE(60),
    ];
    const segments = segmentsEnd(descriptor, header);
    return fstatSync(descriptor).size >= Math.max(segments, offset + size * count);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the offset at which the last segment ends; Infinity if the segment table is truncated.
 */
function segmentsEnd(descriptor: number, header: Buffer): number {
  const [offset, size, count] = [
    Number(header.readBigUInt64LE(32)),
    header.readUInt16LE(54),
    header.readUInt16LE(56),
  ];
  const table = Buffer.alloc(size * count);
  if (readSync(descriptor, table, 0, table.length, offset) < table.length) return Infinity;
  let end = 0;
  for (let at = 0; at < table.length; at += size) {
    end = Math.max(end, Number(table.readBigUInt64LE(at + 8) + table.readBigUInt64LE(at + 32)));
  }
  return end;
}
