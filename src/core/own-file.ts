import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { kill, pid } from "node:process";
import { SendctlError } from "./error.ts";
import { fileHint, isSqliteFile, renameOver, unreadableFile, withoutMark } from "./files.ts";

/** Returns whether no process of this machine has a number. */
export function isGone(id: number): boolean {
  try {
    return !kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** The names that this process gave: in a container, killed processes often had its number. */
export const ownNames = new Set<string>();

/** Returns whether the process that has given a name has ended. */
export function isAbandoned(name: string, owner: number): boolean {
  return !ownNames.has(name) && (owner === pid || isGone(owner));
}

/**
 * Names a file that will take the place of another, for which it stands in the same folder. Removes
 * those that killed commands have left there.
 *
 * @param kind the ending of its name
 */
export function fileBeside(file: string, kind: string): string {
  const folder = dirname(file);
  removeLeftovers(folder, (name) => isLeftover(name, kind));
  // Only has to be new: loading `node:crypto` for it would take a tenth of the start of a process.
  const name = `.${basename(file)}.${pid}-${Math.random().toString(36).slice(2)}.${kind}`;
  ownNames.add(name);
  return join(folder, name);
}

/** Returns whether `fileBeside` made a name for a process that has ended, or for its SQLite log. */
export function isLeftover(name: string, kind: string): boolean {
  const pattern = new RegExp(`^\\..+\\.(\\d+)-[0-9a-z]+\\.${kind}(?:-wal|-shm|-journal)?$`);
  const owner = Number(pattern.exec(name)?.[1]);
  return owner > 0 && isAbandoned(name, owner);
}

/** Removes the files of killed commands from a folder. @param isMeant selects them by their name */
export function removeLeftovers(folder: string, isMeant: (name: string) => boolean): void {
  try {
    for (const name of readdirSync(folder).filter(isMeant)) {
      rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The folder does not exist, or may not be changed.
  }
}

/**
 * Creates or replaces a file atomically, readable only by its owner.
 *
 * @param replaces whether an existing file may be replaced; then it is flushed
 * @throws the error of the file system: EEXIST if the name is taken and `replaces` is false
 */
export function writeOwnFile(file: string, text: string, replaces = true): void {
  const fresh = fileBeside(file, "new");
  try {
    writeFileSync(fresh, text, { flag: "wx", mode: 0o600, flush: replaces });
    moveIntoPlace(fresh, file, replaces);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/**
 * Creates a file that is complete or does not exist: fills a temporary file beside it, flushes and
 * renames it. Only its owner can read it. Removes what killed commands left of this kind.
 *
 * @param replaces whether an existing file may be replaced
 * @param fill gets the path of an empty file, and closes it
 * @throws the error of `fill` or the file system: EEXIST if the name is taken, unless `replaces`
 */
export async function createBeside<Result>(
  file: string,
  kind: "restore" | "backup" | "copy",
  replaces: boolean,
  fill: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = fileBeside(file, kind);
  try {
    closeSync(openSync(path, "wx", 0o600));
    const result = await fill(path);
    flushFile(path);
    moveIntoPlace(path, file, replaces);
    flushFolder(dirname(file));
    return result;
  } finally {
    for (const ending of ["", "-wal", "-shm", "-journal"])
      rmSync(`${path}${ending}`, { force: true });
  }
}

/**
 * Gives a finished file its final name, readable only by its owner.
 *
 * @param replaces otherwise it is linked, which fails with EEXIST if the name is taken
 */
export function moveIntoPlace(finished: string, file: string, replaces: boolean): void {
  chmodSync(finished, 0o600);
  if (!replaces) {
    try {
      linkSync(finished, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
      // Some file systems have no links: an empty file takes the name first.
      closeSync(openSync(file, "wx", 0o600));
    }
  }
  renameOver(finished, file);
}

/** Flushes a file to the disk. Not for a file that SQLite has open in this process. */
export function flushFile(path: string, flags: "r" | "r+" = "r+"): void {
  // Windows flushes only a file that is open for writing.
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Flushes a folder to the disk, to make new names in it durable. Some systems cannot do that. */
function flushFolder(folder: string): void {
  try {
    flushFile(folder, "r");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EIO", "ENOSPC", "EDQUOT"].includes(code)) throw error;
  }
}

/** Returns whether a name is taken, even by a dangling link. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Bytes of a file of our own that is read. */
const maxOwnBytes = 16 * 1024 * 1024;

/** Opens a regular file, never through a link; waits for no pipe. @throws an error with a code */
function openRegular(file: string, flags: number): number {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  const descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw withCode("not a regular file");
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * Reads a regular file, and does not follow links.
 *
 * @throws an error with a code, also for a link, another kind of file or one of more than 16 MiB
 */
export function readRegular(file: string): string {
  const descriptor = openRegular(file, constants.O_RDONLY);
  try {
    if (fstatSync(descriptor).size > maxOwnBytes) throw withCode("larger than 16 MiB");
    return withoutMark(readFileSync(descriptor, "utf8"));
  } finally {
    closeSync(descriptor);
  }
}

/** Reads our own file. Returns undefined if it is missing, unreadable, not regular or too large. */
export function readOwnFile(file: string): string | undefined {
  try {
    return readRegular(file);
  } catch {
    return undefined;
  }
}

/** Reads a regular file that the user named. @throws SendctlError "usage" */
export function readNamedFile(name: string, path: string): string {
  try {
    return readRegular(path);
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/**
 * Opens a file that remembers something, or creates it for its owner alone.
 *
 * @throws an error with a code, also for a link, another kind of file or a database
 */
export function openToAppend(file: string): number {
  refuseDatabase(file);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  return openRegular(file, O_WRONLY | O_APPEND | O_CREAT);
}

/** Keeps a backup whose name a log has, too. @throws an error with a code for an SQLite database */
export function refuseDatabase(file: string): void {
  if (isSqliteFile(file)) throw withCode("it is a database");
}

/** What an option writes. */
interface OwnContent {
  /** The option: `--write-env`. */
  readonly option: string;
  /** The command, for errors. */
  readonly author: string;
  /** Maximum size in bytes of a file that is read. */
  readonly maxBytes: number;
  /** Returns whether the command wrote a text. */
  readonly isOwn: (text: string) => boolean;
}

/**
 * Prepares a file that an option names. Only a file that the same option wrote before is replaced.
 *
 * @param given as the user wrote it
 * @param pathOf returns its absolute path
 * @throws SendctlError "usage" for a link, another kind of file, other content or a missing folder
 */
export function openOwnFile(
  given: string,
  pathOf: (file: string) => string,
  { option, author, maxBytes, isOwn }: OwnContent,
) {
  const refuse = (problem: string, hint: string, cause?: unknown): SendctlError =>
    new SendctlError("usage", `${option} ${given}: ${problem}`, { hint, cause });
  const attempt = <Value>(action: string, act: () => Value): Value => {
    try {
      return act();
    } catch (error) {
      if (error instanceof SendctlError) throw error;
      const { code = "" } = error as NodeJS.ErrnoException;
      const hint = `${fileHint(error)}, or pass another file`;
      throw refuse(`cannot be ${action} (${code})`, hint, error);
    }
  };
  if (given === "") throw refuse("is empty", "pass a file");
  const file = pathOf(given);
  const read = (): string => {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) {
      if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() === true) return "";
      throw refuse("its folder does not exist", "create the folder, or pass another file");
    }
    if (found.isSymbolicLink()) throw refuse("is a symbolic link", "pass the file itself");
    const text = found.isFile() && found.size <= maxBytes ? readRegular(file) : undefined;
    if (text !== undefined && isOwn(text)) return text;
    throw refuse(`exists and was not written by ${author}`, "remove it, or pass another file");
  };
  const text = attempt("read", read);
  let written: string | undefined;
  return {
    /** The existing text; "" if there is none. */
    text,
    /** Replaces it, readable only by its owner. @throws SendctlError "usage" */
    write: (fresh: string): void =>
      attempt("written", () => {
        // Another program may have created a file since.
        read();
        writeOwnFile(file, fresh);
        written = fresh;
      }),
    /** Removes it, unless it has changed since it was written. */
    remove: (): void => {
      if (written !== undefined && readOwnFile(file) === written) rmSync(file, { force: true });
    },
  };
}
