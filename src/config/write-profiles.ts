import { chmodSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import Conf from "conf";
import { SendctlError } from "../core/error.ts";
import { fileHint, makeFolder, renameOver } from "../core/files.ts";
import { withLock } from "../core/lock.ts";
import { readConfig, type Config } from "./profiles.ts";

/**
 * Changes the config file, or creates it with access only for its owner. Safe to call from several processes at once.
 * Writes nothing if the config does not change, and never overwrites an invalid file.
 *
 * @param change returns the new config, or the same object to leave it unchanged
 * @param wait takes milliseconds
 * @throws SendctlError "usage" if the file cannot be read or written, which leaves it unchanged; anything that `change`
 *   throws
 */
export async function changeConfig(
  file: string,
  change: (config: Config) => Config,
  wait: (milliseconds: number) => Promise<void>,
): Promise<void> {
  try {
    const folder = dirname(file);
    makeFolder(folder);
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    await withLock(
      `${file}.lock`,
      () => {
        const config = readConfig(file);
        const changed = change(config);
        if (changed !== config) replace(file, changed);
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
 * Writes a new file with conf and renames it. conf alone overwrites the file in place if a Snap package, such as the
 * terminal of an editor, started the process; a concurrent reader or an interruption would then see half of the file.
 */
function replace(file: string, config: Config): void {
  const { current, profiles, protections } = config;
  const target = statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file;
  const fresh = `${target}.new`;
  // Left by a process that was killed.
  rmSync(fresh, { force: true });
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
