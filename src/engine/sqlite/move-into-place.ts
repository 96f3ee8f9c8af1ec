import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from "node:fs";

/**
 * Gives a finished file its final name, readable only by its owner. Linking fails if the name is
 * taken; on file systems without links the name is checked first.
 *
 * @throws the file system error EEXIST if the name is taken and `replaces` is false
 */
export function moveIntoPlace(finished: string, file: string, replaces: boolean): void {
  chmodSync(finished, 0o600);
  if (!replaces) {
    try {
      linkSync(finished, file);
      rmSync(finished);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || isTaken(file)) throw error;
    }
  }
  renameSync(finished, file);
}

/** Returns whether a name is taken, even by a dangling link. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
