import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/** In bytes: more than the databases of tests that run side by side. */
const enough = 2 * 1024 ** 3;

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts.find((mount) => mount.split(" ")[1] === folder)?.split(" ")[3];
    // Some tests run programs that they have written.
    return bavail * bsize >= enough && options?.split(",").includes("noexec") === false;
  } catch {
    return false;
  }
}

/** Where tests put databases: in memory where there is room, because a disk takes milliseconds to flush. */
export const quickFolder = isUsable(memory) ? memory : tmpdir();
