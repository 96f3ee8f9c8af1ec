import { accessSync, constants, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/** In bytes: more than the databases of all tests that run concurrently. */
const minFree = 2 * 1024 ** 3;

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts.find((mount) => mount.split(" ")[1] === folder)?.split(" ")[3];
    // Some tests write programs and run them.
    return bavail * bsize >= minFree && options?.split(",").includes("noexec") === false;
  } catch {
    return false;
  }
}

/** Folder for databases of tests: in memory if there is space, because flushing a disk takes milliseconds. */
export const quickFolder = isUsable(memory) ? memory : tmpdir();

/** Deletes the folder of a test: in a fifth of the processor time that `rm` takes for few files. */
export function deleteFolder(folder: string): void {
  // A process that has just been stopped may still add a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
