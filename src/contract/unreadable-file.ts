import { SendctlError } from "./error.ts";

/**
 * Returns the error for a file that the user named and that cannot be read.
 *
 * @param error the error of the file system
 * @param setting the option that names the file
 */
export function unreadableFile(file: string, error: unknown, setting?: string): SendctlError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const isMissing = code === "ENOENT";
  return new SendctlError(
    "usage",
    `${file} ${isMissing ? "does not exist" : `cannot be read (${code})`}`,
    {
      hint: isMissing ? "check the name" : "check its permissions",
      file,
      ...(setting === undefined ? {} : { setting }),
      cause: error,
    },
  );
}
