import { chmodSync, mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import Conf from "conf";
import { SendctlError } from "../contract/error.ts";
import { renameOver } from "../runtime/rename-over.ts";
import { underLock } from "./lock.ts";
import { readConfig, type Config } from "./profiles.ts";

/**
 * Changes the config file, which is made where there is none, for its owner only. Any number of processes
 * may do so at once. Nothing is written where nothing changes, nor over a file that can't be understood.
 *
 * @param change gives what is to stand in the file instead, or the same
 * @param wait fulfilled after so many milliseconds
 * @throws SendctlError "usage" where the file can't be read or written, and then it is as it was; whatever
 *   `change` throws
 */
export async function changeConfig(
  file: string,
  change: (config: Config) => Config,
  wait: (milliseconds: number) => Promise<void>,
): Promise<void> {
  try {
    makeFolder(dirname(file));
    await underLock(
      `${file}.lock`,
      (check) => {
        const config = readConfig(file);
        const changed = change(config);
        if (changed !== config) replace(file, changed, check);
      },
      wait,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof SendctlError || code === undefined) throw error;
    throw new SendctlError("usage", `the config file ${file} cannot be written (${code})`, {
      hint: "check the permissions of the file and its folder",
      file,
      cause: error,
    });
  }
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/**
 * conf writes a file beside it, which then takes its place: by itself conf writes right into the file where
 * a Snap started it, the terminal of an editor say, and who reads or is ended then is left with half of it.
 */
function replace(file: string, { current, profiles }: Config, check: () => void): void {
  const target = statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file;
  const fresh = `${target}.new`;
  // Of one who was ended.
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
    };
    chmodSync(fresh, 0o600);
    check();
    renameOver(fresh, target);
  } finally {
    rmSync(fresh, { force: true });
  }
}
