import { elapsed } from "../contract/time/calendar.ts";
import { renameSync } from "node:fs";
import { platform } from "node:process";

/** In milliseconds: how often to try, and for how long in all. */
const pause = 20;
const timeout = 1000;

const refusals = new Set(["EPERM", "EACCES", "EBUSY"]);

/**
 * Renames a file over another. On Windows, that fails while anyone has either of them open, such as a virus scanner
 * or another sendctl that reads it, so it is tried again for a second.
 *
 * @throws the error of the file system
 */
export function renameOver(
  from: string,
  to: string,
  system: NodeJS.Platform = platform,
  rename: (from: string, to: string) => void = renameSync,
): void {
  const deadline = elapsed() + timeout;
  for (;;) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      const mayPass = system === "win32" && refusals.has(code);
      if (!mayPass || elapsed() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
}
