import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { flush, flushFolder } from "./copy-file.ts";

/**
 * Puts a whole database into the place of one that SQLite can't open any more, which is kept beside it:
 * somebody may want to save of it what can be saved. Its log goes with it, and goes first: SQLite would
 * apply it to the new file. At any moment there is a file in the place, the damaged one or the new one.
 *
 * @returns where the damaged one is now
 */
export function replaceDamaged(file: string, copy: string): string {
  flush(copy);
  const kept = freeName(`${file}.before-restore`);
  linkSync(file, kept);
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${kept}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(copy, file);
  flushFolder(dirname(file));
  return kept;
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}.${number}`;
    if (!existsSync(free)) return free;
  }
}
