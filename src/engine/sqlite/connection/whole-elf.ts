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
    const header = new DataView(new ArrayBuffer(64));
    if (readSync(descriptor, header, 0, 64, 0) < 64) return true;
    const [is64, isLittle] = [header.getUint8(4) === 2, header.getUint8(5) === 1];
    if (header.getUint32(0) !== magic || !is64 || !isLittle) return true;
    // The section table is at the end of the file.
    const sections = uint64(header, 40) + header.getUint16(58, true) * header.getUint16(60, true);
    const segments = segmentsEnd(descriptor, header);
    return fstatSync(descriptor).size >= Math.max(segments, sections);
  } finally {
    closeSync(descriptor);
  }
}

/** "\x7fELF". */
const magic = 0x7f45_4c46;

/**
 * Returns the offset at which the last segment ends; Infinity if the segment table is truncated.
 */
function segmentsEnd(descriptor: number, header: DataView): number {
  const size = header.getUint16(54, true);
  const table = new DataView(new ArrayBuffer(size * header.getUint16(56, true)));
  const read = readSync(descriptor, table, 0, table.byteLength, uint64(header, 32));
  if (read < table.byteLength) return Infinity;
  let end = 0;
  for (let at = 0; at < table.byteLength; at += size) {
    end = Math.max(end, uint64(table, at + 8) + uint64(table, at + 32));
  }
  return end;
}

/** Reads a number that no size of a file exceeds. BigInts and the methods of Buffer take longer when run first. */
function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
