import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from "node:fs";

/**
 * Gives a finished file its name, readable by its owner only. A link fails where the name is taken; on file
 * systems without links the name is looked at first.
 *
 * @throws the error EEXIST of the file system where the name is taken and `replaces` is false
 */
export function putInPlace(made: string, file: string, replaces: boolean): void {
  chmodSync(made, 0o600);
  if (!replaces) {
    try {
      linkSync(made, file);
      rmSync(made);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || isTaken(file)) throw error;
    }
  }
  renameSync(made, file);
}

/** A link that leads nowhere takes a name, too. */
function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
