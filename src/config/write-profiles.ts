import { chmodSync, lstatSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import Conf from "conf";
import { SendctlError } from "../core/error.ts";
import { fileHint, makeFolder, renameOver } from "../core/files.ts";
import { withLock } from "../core/lock.ts";
import { removeLeftovers } from "../core/own-file.ts";
import { readConfig, type Config } from "./profiles.ts";

/**
 * Changes the config file, or creates it with access only for its owner. Safe to call from several
 * processes at once. Never overwrites an invalid file.
 *
 * @param change returns the new config, or the same object to leave it unchanged
 * @param wait takes milliseconds
 * @throws SendctlError "usage" if the file cannot be read or written, which leaves it unchanged;
 *   anything that `change` throws
 */
export async function changeConfig(
  file: string,
  change: (config: Config) => Config,
  wait: (milliseconds: number) => Promise<void>,
): Promise<void> {
  try {
    makeFolder(dirname(file));
    await withLock(
      `${file}.lock`,
      () => {
        const target = targetOf(file);
        // A killed process has left them, with keys.
        const prefix = `${basename(target)}.new`;
        removeLeftovers(dirname(target), (name) => name.startsWith(prefix));
        const config = readConfig(file);
        const changed = change(config);
        if (changed !== config) replace(target, changed);
      },
      wait,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof SendctlError || code === undefined) throw error;
    throw new SendctlError("usage", `the config file ${file} cannot be written (${code})`, {
      hint: fileHint(error),
      file,
      cause: error,
    });
  }
}

/**
 * Returns the file that a link leads to, which may not exist yet.
 *
 * @throws SendctlError "usage" if it cannot be created there
 */
function targetOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return file;
  const target = resolve(realpathSync(dirname(file)), readlinkSync(file));
  const hasFolder = statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory() === true;
  const isAbsent = lstatSync(target, { throwIfNoEntry: false }) === undefined;
  if (isAbsent && hasFolder) return target;
  throw new SendctlError(
    "usage",
    `the config file ${file} is a link to ${target}, which is missing`,
    {
      hint: "create its folder, or remove the link",
      file,
    },
  );
}

/**
 * Writes a new file with conf and renames it. conf alone overwrites the file in place if a Snap
 * package, such as the terminal of an editor, started the process; a concurrent reader or an
 * interruption would then see half of the file.
 */
function replace(target: string, config: Config): void {
  const { current, profiles, protections } = config;
  const fresh = `${target}.new`;
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(fresh),
      configName: basename(fresh, ".new"),
      fileExtension: "new",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    });
    conf.store = {
      ...(current === undefined ? {} : { current }),
      profiles: Object.fromEntries(profiles),
      ...(protections.size === 0 ? {} : { protected: Object.fromEntries(protections) }),
    };
    chmodSync(fresh, 0o600);
    renameOver(fresh, target);
  } finally {
    rmSync(fresh, { force: true });
  }
}
