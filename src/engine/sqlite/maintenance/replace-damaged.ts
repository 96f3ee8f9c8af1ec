import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { flush, flushFolder } from "./copy-file.ts";

/**
 * Replaces a database that SQLite can no longer open with a valid one. The damaged database is kept
 * beside it, so that its records can still be recovered. Its log is moved along with it, and moved
 * first, because SQLite would apply it to the new file. At every moment the path leads to the
 * damaged or to the new file.
 *
 * @returns the path of the damaged database
 */
export function replaceDamaged(file: string, copy: string): string {
  flush(copy);
  const damagedFile = freeName(`${file}.before-restore`);
  keepAs(file, damagedFile);
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${damagedFile}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(copy, file);
  flushFolder(dirname(file));
  return damagedFile;
}

/** Gives a file a second name or, on file systems without links, copies it. */
function keepAs(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    try {
      copyFileSync(file, name, constants.COPYFILE_EXCL);
      flush(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(name, { force: true });
      throw error;
    }
  }
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}.${number}`;
    if (!existsSync(free)) return free;
  }
}
