import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { geteuid, platform } from "node:process";
import { dirname, resolve } from "node:path";
import { readOwnFile } from "../core/own-file.ts";
import { SendctlError } from "../core/error.ts";
import { shellWord } from "../core/text.ts";

const groupWritable = 0o020;
const worldWritable = 0o002;

/** Mode bit that prevents users from replacing each other's files in a folder. */
const sticky = 0o1000;

/**
 * Rejects a config file that another user of the machine can write or replace, because its key command runs with the
 * permissions of the user who runs sendctl: the file, every folder above it and every link to it must belong to that
 * user or root, and nobody else may write to them. Not checked on Windows, where Node reports every file as writable by
 * all; the folder of a user is closed to other users there.
 *
 * @throws SendctlError "usage" that names the file or folder
 */
export function refuseSharedConfig(
  file: string,
  system: NodeJS.Platform = platform,
  caller = geteuid?.() ?? 0,
): void {
  if (system === "win32") return;
  for (const path of stepsTo(file)) {
    const problem = problemOf(path, lstatSync(path), caller);
    if (problem === undefined) continue;
    throw new SendctlError("usage", `the key command is not run: ${problem[0]}`, {
      hint: problem[1],
    });
  }
}

/** Yields everything on the way to a path: from the root, its folders and links, and those that links lead to. */
function* stepsTo(path: string): Generator<string> {
  const folder = dirname(path);
  if (folder !== path) yield* stepsTo(folder);
  yield path;
  if (lstatSync(path).isSymbolicLink()) {
    yield* stepsTo(resolve(realpathSync(folder), readlinkSync(path)));
  }
}

/** Returns who else can change a file, folder or link, and how to prevent it; undefined if nobody can. */
function problemOf(
  path: string,
  found: Stats,
  caller: number,
): readonly [text: string, hint: string] | undefined {
  const { uid, gid, mode } = found;
  const word = shellWord(path);
  if (uid !== 0 && uid !== caller) {
    return [`${path} belongs to another user (uid ${uid})`, `chown ${caller} ${word}`];
  }
  // Nobody can write to a link. In a folder with the sticky bit, others can add files but not replace these.
  if (found.isSymbolicLink() || (found.isDirectory() && (mode & sticky) !== 0)) return undefined;
  if ((mode & worldWritable) !== 0) {
    return [`${path} is world-writable`, `chmod o-w ${word}`];
  }
  if ((mode & groupWritable) === 0 || isOwnGroup(gid, caller)) return undefined;
  return [`${path} is writable by the group ${gid}`, `chmod g-w ${word}`];
}

/**
 * Returns whether a group is the user's own, as many systems create one for each user, and has no other member. Groups
 * that are not in the files of the system are not.
 */
function isOwnGroup(gid: number, caller: number): boolean {
  try {
    const users = entriesOf("/etc/passwd");
    const [name] = users.find(([, , uid]) => Number(uid) === caller) ?? [];
    const primary = users.filter(([, , , group]) => Number(group) === gid);
    const groups = entriesOf("/etc/group").filter(([, , id]) => Number(id) === gid);
    return (
      primary.length > 0 &&
      primary.every(([user]) => user === name) &&
      groups.length > 0 &&
      groups.every(([, , , members]) => ["", name].includes(members))
    );
  } catch {
    return false;
  }
}

/** Reads a file of the system with an entry a line, whose fields are separated by colons. */
function entriesOf(file: string): readonly (readonly string[])[] {
  const lines = (readOwnFile(file) ?? "").split("\n");
  return lines.map((line) => line.split(":"));
}
