import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../core/error.ts";
import { fileHint, renameOver } from "../../core/files.ts";
import type { Capabilities } from "../../command/capabilities.ts";

/** A file of `NAME=value` lines, as Docker and `node --env-file` read them. */
export interface EnvFile {
  /** The key in the existing file; undefined if it has none. */
  readonly key: string | undefined;
  /** Replaces the file atomically, readable only by its owner. @throws SendctlError "usage" */
  readonly write: (baseUrl: string, key: string, controlUrl?: string) => void;
}

const [urlName, keyName] = ["SENDCTL_BASE_URL", "SENDCTL_SECRET_KEY"];
const controlName = "SENDCTL_CONTROL_URL";
const ownLine = new RegExp(`^(?:${urlName}|${keyName}|${controlName})=[\\x21-\\x7e]*$`);

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
    return refuse(
      `cannot be ${action} (${code})`,
      `${fileHint(error)}, or pass another file`,
      error,
    );
  };
  if (given === "") throw refuse("is empty", "pass a file");
  const file = pathOf(given);
  let keyLine: string | undefined;
  try {
    if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw refuse("its folder does not exist", "create the folder, or pass another file");
    }
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true)
      throw refuse("is a symbolic link", "pass the file itself");
    const isSmallFile = stats?.isFile() === true && stats.size <= maxFileBytes;
    const text = isSmallFile ? readFileSync(file, "utf8") : "";
    const lines = text.split("\n").filter((line) => line !== "");
    if ((stats !== undefined && !isSmallFile) || !lines.every((line) => ownLine.test(line))) {
      throw refuse("exists and was not written by serve", "remove it, or pass another file");
    }
    keyLine = lines.find((line) => line.startsWith(`${keyName}=`));
  } catch (error) {
    throw failed("read", error);
  }
  return {
    key: keyLine?.slice(`${keyName}=`.length) || undefined,
    write: (baseUrl, key, controlUrl) => {
      const fresh = `${file}.${randomUUID()}`;
      try {
        const values = [
          [urlName, baseUrl],
          [keyName, key],
          ...(controlUrl === undefined ? [] : [[controlName, controlUrl]]),
        ];
        const text = values.map(([name, value]) => `${name}=${value}\n`).join("");
        writeFileSync(fresh, text, { flag: "wx", mode: 0o600 });
        renameOver(fresh, file);
      } catch (error) {
        throw failed("written", error);
      } finally {
        rmSync(fresh, { force: true });
      }
    },
  };
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
