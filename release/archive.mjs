// Packs the single executable and its licences: node release/archive.mjs BUILT OUT
// BUILT: the folder that executable/build.mjs wrote to. OUT: the folder for the archive, whose path is printed.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv, env, platform, stdout } from "node:process";
import { archiveFolder, archiveName, argumentsOf, currentTarget } from "./facts.mjs";

const [built, out] = argumentsOf(argv, "node release/archive.mjs BUILT OUT", 2);
const target = currentTarget();
const file = join(resolve(out), archiveName(target));
mkdirSync(out, { recursive: true });

const work = mkdtempSync(join(tmpdir(), "sendctl-archive-"));
try {
  cpSync(built, join(work, archiveFolder(target)), { recursive: true });
  // The tar of Windows writes ZIP files. That of Git, which may come first in PATH, does not.
  const tar = platform === "win32" ? join(env["SystemRoot"], "System32/tar.exe") : "tar";
  const format = platform === "win32" ? ["-a", "-c"] : ["-c", "-z"];
  execFileSync(tar, [...format, "-f", file, archiveFolder(target)], { cwd: work });
} finally {
  rmSync(work, { recursive: true, force: true });
}
stdout.write(`${file}\n`);
