import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launcher, type Home } from "./home.ts";

/** Writes a shell script to `bin` in the home. A process of it has the id that `$!` shows, unlike a function. */
export async function installProgram(home: Home, name: string, line: string): Promise<void> {
  const file = join(home.folder, "bin", name);
  await mkdir(join(home.folder, "bin"), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${line}\n`);
  await chmod(file, 0o755);
}

/** Writes `sendctl` to `bin` in the home. */
export async function installSendctl(home: Home): Promise<void> {
  await installProgram(home, "sendctl", `exec '${process.execPath}' '${launcher}' "$@"`);
}
