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
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { getuid, kill, pid } from "node:process";
import { SendctlError } from "./error.ts";
import { fileHint, isSqliteFile, renameOver, unreadableFile, withoutMark } from "./files.ts";

/** Milliseconds after which the write of a small file has ended, also that of a process in another container. */
const quietTime = 10_000;

/** The names that this process has given. */
const ownNames = new Set<string>();

/**
 * Names a file that will take the place of another, for which it stands in the same folder. Removes those that killed
 * commands have left there.
 *
 * @param kind the ending of its name
 */
export function fileBeside(file: string, kind: string): string {
  const folder = dirname(file);
  removeLeftovers(folder, (name) => isLeftover(name, kind), kind === "new" ? quietTime : 0);
  // Only has to be new: loading `node:crypto` for it would take a tenth of the start of a process.
  const name = `.${basename(file)}.${pid}-${Math.random().toString(36).slice(2)}.${kind}`;
  ownNames.add(name);
  return join(folder, name);
}

/** Returns whether `fileBeside` has made a name for a process that has ended, or for a log of SQLite of that file. */
export function isLeftover(name: string, kind: string): boolean {
  const pattern = new RegExp(`^\\..+\\.(\\d+)-[0-9a-z]+\\.${kind}(?:-wal|-shm|-journal)?$`);
  const owner = pattern.exec(name)?.[1];
  return owner !== undefined && !ownNames.has(name) && !isOther(Number(owner));
}

/**
 * Removes files of this user that killed commands have left in a folder.
 *
 * @param isMeant returns whether one with this name is
 * @param minAge milliseconds since it was written
 */
export function removeLeftovers(
  folder: string,
  isMeant: (name: string) => boolean,
  minAge = 0,
): void {
  try {
    for (const name of readdirSync(folder).filter(isMeant)) {
      const stats = lstatSync(join(folder, name));
      const isOld = Math.abs(Date.now() - stats.mtimeMs) >= minAge;
      if (isOld && stats.isFile() && isOwn(stats)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The folder does not exist, or may not be changed.
  }
}

/** Returns whether a number is that of another process which exists. */
function isOther(id: number): boolean {
  try {
    return id !== pid && kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Replaces a file atomically, readable only by its owner, and flushes it. @throws the error of the file system */
export function replaceFile(file: string, text: string, flush = true): void {
  const fresh = fileBeside(file, "new");
  try {
    writeFileSync(fresh, text, { flag: "wx", mode: 0o600, flush });
    renameOver(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/**
 * Creates a file that is complete or does not exist: it is filled under a temporary name beside it, flushed, and renamed.
 * Only its owner can read it. What killed commands have left of this kind is removed.
 *
 * @param replaces whether an existing file may be replaced
 * @param fill gets the path of an empty file, and closes it
 * @throws the error of `fill` or of the file system: EEXIST if the name is taken and `replaces` is false
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
 * Gives a finished file its final name, readable only by its owner. Linking fails if the name is
 * taken; on file systems without links the name is checked first.
 */
export function moveIntoPlace(finished: string, file: string, replaces: boolean): void {
  chmodSync(finished, 0o600);
  if (!replaces) {
    try {
      linkSync(finished, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || isTaken(file)) throw error;
    }
  }
  renameSync(finished, file);
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

/** Flushes a folder to the disk, so that new names in it are durable. Some systems do not support that. */
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

/** How a file of our own is read. */
interface ReadOptions {
  /** Maximum size in bytes (default: 16 MiB). */
  readonly maxBytes?: number;
  /** Whether it makes sendctl remove, end or run something: only a file that nobody else can have written is read. */
  readonly isObeyed?: boolean;
}

/**
 * Reads a file of our own. Neither a pipe nor a device is read, and nothing waits for one.
 *
 * @returns undefined if it is missing, unreadable, another kind of file or too long, or may be somebody else's
 */
export function readOwnFile(file: string, options: ReadOptions = {}): string | undefined {
  const { maxBytes = 16 * 1024 * 1024, isObeyed = false } = options;
  let descriptor: number | undefined;
  try {
    const noLink = isObeyed ? constants.O_NOFOLLOW : 0;
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noLink);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    if (isObeyed && (stats.nlink > 1 || !isPrivate(stats))) return undefined;
    return withoutMark(readFileSync(descriptor, "utf8"));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns whether a file belongs to this user, and has no other name. */
function isOwn({ uid, nlink }: Stats): boolean {
  return uid === (getuid?.() ?? uid) && nlink === 1;
}

/** Returns whether only this user and root can have written something. Windows has neither owners nor modes. */
function isPrivate({ uid, mode }: Stats): boolean {
  const caller = getuid?.();
  return caller === undefined || ((uid === caller || uid === 0) && (mode & 0o022) === 0);
}

/**
 * Opens a regular file without following a link or waiting for a pipe. @throws a system error, also for another kind of
 * file
 */
function openRegular(file: string, flags: number): number {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  const descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fstatSync(descriptor).isFile()) return descriptor;
  throw refused(descriptor, "not a regular file");
}

/** Reads a regular file, and does not follow links. @throws a system error, also for a link or another kind of file */
export function readRegular(file: string): string {
  const descriptor = openRegular(file, constants.O_RDONLY);
  try {
    return withoutMark(readFileSync(descriptor, "utf8"));
  } finally {
    closeSync(descriptor);
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
 * Opens a file that remembers something, or creates it for its owner alone. @throws a system error, also for a database and
 * for a file of another user or with another name
 */
export function openToAppend(file: string): number {
  refuseDatabase(file);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  const descriptor = openRegular(file, O_WRONLY | O_APPEND | O_CREAT);
  const stats = fstatSync(descriptor);
  if (isOwn(stats)) return descriptor;
  throw refused(descriptor, stats.nlink > 1 ? "it has another name" : "it belongs to another user");
}

function refused(descriptor: number, code: string): Error {
  closeSync(descriptor);
  return withCode(code);
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
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
 * @throws SendctlError "usage" for a link, another kind of file, other content, or a folder that does not exist
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
    if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw refuse("its folder does not exist", "create the folder, or pass another file");
    }
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return "";
    if (stats.isSymbolicLink()) throw refuse("is a symbolic link", "pass the file itself");
    const text =
      stats.isFile() && stats.size <= maxBytes
        ? withoutMark(readFileSync(file, "utf8"))
        : undefined;
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
        replaceFile(file, fresh);
        written = fresh;
      }),
    /** Removes it, unless it has changed since it was written. */
    remove: (): void => {
      try {
        if (written !== undefined && read() === written) rmSync(file, { force: true });
      } catch {
        // It is another file by now, or its folder has gone.
      }
    },
  };
}
