import { SendctlError } from "./error.ts";

/** What to do about an error of the file system, by its code. For any other, the name may be wrong. */
const hints: Readonly<Record<string, string>> = {
  EACCES: "check its permissions",
  EPERM: "check its permissions",
  EROFS: "name a file on another disk: this one is read-only",
  ENOSPC: "free disk space and try again",
  EDQUOT: "free disk space and try again",
};

/** Returns what to do about an error of the file system. */
export function fileHint(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return hints[code] ?? "check the name";
}

/**
 * Returns the error for a file that cannot be read.
 *
 * @param name how to call it, as the user wrote it
 * @param error the error of the file system
 */
export function unreadableFile(name: string, error: unknown, file = name): SendctlError {
  if (error instanceof SendctlError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const problem = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
  return new SendctlError("usage", `${name} ${problem}`, {
    hint: fileHint(error),
    file,
    cause: error,
  });
}
