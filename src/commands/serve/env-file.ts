import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../core/error.ts";
import { fileHint, renameOver } from "../../core/files.ts";
import type { Capabilities } from "../../command/capabilities.ts";

/** A file of `NAME=value` lines, as Docker and `node --env-file` read them. */
export interface EnvFile {
  /** The key in the existing file; undefined if it has none. */
  readonly key: string | undefined;
  /** Replaces the file atomically, readable only by its owner. @throws SendctlError "usage" */
  readonly write: (baseUrl: string, key: string) => void;
}

const names = ["SENDCTL_BASE_URL", "SENDCTL_SECRET_KEY"];
const ownLine = new RegExp(`^(?:${names.join("|")})=[\\x21-\\x7e]*$`);

/** In bytes: `serve` writes no larger file. */
const maxFileBytes = 4096;

/**
 * Prepares a file for `serve --write-env`. Only a file that `serve` wrote before is replaced.
 *
 * @param pathOf returns the absolute path of a file
 * @throws SendctlError "usage" for a link, another kind of file, other content, or a folder that does not exist
 */
export function openEnvFile(given: string, pathOf: (file: string) => string): EnvFile {
  const refuse = (problem: string, hint: string, cause?: unknown): SendctlError =>
    new SendctlError("usage", `--write-env ${given}: ${problem}`, { hint, cause });
  const failed = (action: string, error: unknown): SendctlError => {
    if (error instanceof SendctlError) return error;
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ELOOP"
      ? refuse("is a symbolic link", "pass the file itself")
      : refuse(`cannot be ${action} (${code})`, `${fileHint(error)}, or pass another file`, error);
  };
  if (given === "") throw refuse("is empty", "pass a file");
  const file = pathOf(given);
  let text: string;
  try {
    if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw refuse("its folder does not exist", "create the folder, or pass another file");
    }
    text = readOwn(file) ?? "";
  } catch (error) {
    throw failed("read", error);
  }
  const lines = text.split("\n").filter((line) => line !== "");
  if (!lines.every((line) => ownLine.test(line))) {
    throw refuse("exists and was not written by serve", "remove it, or pass another file");
  }
  const prefix = "SENDCTL_SECRET_KEY=";
  const key = lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  return {
    key: key === "" ? undefined : key,
    write: (baseUrl, secretKey) => {
      const fresh = `${file}.${randomUUID()}`;
      try {
        const values = [baseUrl, secretKey];
        const content = names.map((name, index) => `${name}=${values[index]}\n`).join("");
        writeFileSync(fresh, content, { flag: "wx", mode: 0o600 });
        renameOver(fresh, file);
      } catch (error) {
        throw failed("written", error);
      } finally {
        rmSync(fresh, { force: true });
      }
    },
  };
}

/** Returns the content of a regular file, without following a link; undefined if it does not exist. */
function readOwn(file: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    // Opening a pipe would block.
    descriptor = openSync(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const found = fstatSync(descriptor);
    // Text that serve does not write makes the caller refuse the file.
    if (!found.isFile() || found.size > maxFileBytes) return "not a file of serve";
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

type Engine = Awaited<ReturnType<Capabilities["local"]["engine"]>>;
type Administration = Engine["administration"];

/** Creates a key of the default integration. */
export async function newKey(administration: Administration): Promise<string> {
  return keyOf(await administration.createKey("default"));
}

/** Creates a key if the database has none. It cannot be shown again. */
export async function firstKey(administration: Administration): Promise<string | undefined> {
  const created = await administration.createFirstKey();
  return created && keyOf(created);
}

/** Returns the key in the file if the database accepts it, else a new one. */
export async function keyForFile(
  { administration, callerOf }: Engine,
  { key }: EnvFile,
): Promise<string> {
  const isValid = key !== undefined && (await callerOf(key)) !== undefined;
  return isValid ? key : newKey(administration);
}

function keyOf({ envelope }: Awaited<ReturnType<Administration["createKey"]>>): string {
  return (envelope!.data as { readonly secret_key: string }).secret_key;
}
