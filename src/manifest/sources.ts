import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SendctlError } from "../core/error.ts";
import { unreadableFile } from "../core/files.ts";
import { readFileUpTo } from "../core/open-input.ts";
import { fileLimit, type Source } from "./read.ts";

/** Maximum total size of all files in bytes. */
const totalLimit = 64 * 1024 * 1024;

/** The file name of standard input in locations. */
const inputName = "<stdin>";

/**
 * Reads the files of a manifest. `-` is standard input; a folder stands for its visible `*.yaml`, `*.yml` and `*.json`
 * files, sorted by name. A file that is named twice is read once. Reading stops soon after the size limit, and
 * readManifest then reports the file as too large.
 *
 * @param folder base of relative names
 * @param readInput reads standard input; stops after more than `limit` bytes
 * @throws SendctlError "usage" for an unreadable file, a folder without manifests, or too much data in total
 */
export async function readSources(
  names: readonly string[],
  folder: string,
  readInput: (limit: number) => Promise<Uint8Array>,
): Promise<readonly Source[]> {
  const sources = new Map<string, Source>();
  let total = 0;
  const add = async (name: string, path: string, read: () => Promise<Uint8Array>) => {
    if (sources.has(path)) return;
    const bytes = await read();
    total += bytes.length;
    if (total > totalLimit) {
      const limit = totalLimit / 1024 / 1024;
      throw new SendctlError("usage", `the files are larger than ${limit} MiB in total`, {
        hint: "pass fewer files at once",
      });
    }
    sources.set(path, { name, bytes });
  };
  for (const name of names) {
    if (name === "-") await add(inputName, name, () => readInput(fileLimit));
    else {
      for (const file of await filesOf(name, folder)) {
        const path = resolve(folder, file);
        await add(file, path, () => readFileUpTo(file, path, fileLimit));
      }
    }
  }
  return [...sources.values()];
}

/** Returns the name itself, or the manifests in a folder of that name. */
async function filesOf(name: string, folder: string): Promise<readonly string[]> {
  const path = resolve(folder, name);
  if (!(await attempt(name, () => stat(path))).isDirectory()) return [name];
  const entries = await attempt(name, () => readdir(path));
  const files: string[] = [];
  for (const entry of entries.toSorted()) {
    if (entry.startsWith(".") || !/\.(?:yaml|yml|json)$/.test(entry)) continue;
    const file = join(name, entry);
    const found = await attempt(file, () => stat(join(path, entry)));
    if (!found.isDirectory()) files.push(file);
  }
  if (files.length > 0) return files;
  throw new SendctlError("usage", `the folder ${name} contains no *.yaml, *.yml or *.json file`, {
    hint: "pass another folder or a file",
  });
}

async function attempt<Value>(name: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    throw unreadableFile(name, error);
  }
}
