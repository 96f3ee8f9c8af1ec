import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { getuid } from "node:process";
import { SendctlError } from "./error.ts";
import { fileHint, renameOver, withoutMark } from "./files.ts";

/** Replaces a file atomically, readable only by its owner, and flushes it. @throws the error of the file system */
export function replaceFile(file: string, text: string, flush = true): void {
  // Only has to be new: loading `node:crypto` for it would take a tenth of the start of a process.
  const fresh = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(fresh, text, { flag: "wx", mode: 0o600, flush });
    renameOver(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
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
    if (isObeyed && !isPrivate(statSync(dirname(file)))) return undefined;
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

/** Returns whether only this user and root can have written something. Windows has neither owners nor modes. */
function isPrivate({ uid, mode }: Stats): boolean {
  const caller = getuid?.();
  return caller === undefined || ((uid === caller || uid === 0) && (mode & 0o022) === 0);
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
