import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "./run-remote.ts";

/** A key as it may stand in text: as it is, in JSON, in JSON in JSON, in a URL, in a shell's quotes. */
function formsOf(key: string): string[] {
  const json = JSON.stringify(key).slice(1, -1);
  return [
    key,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(key),
    key.replaceAll("'", String.raw`'\''`),
    Buffer.from(key).toString("base64").replaceAll("=", ""),
  ];
}

/** True where a text holds a key, be it broken over the lines of a table. */
function holdsKey(text: string, key: string): boolean {
  const joined = text.replaceAll(/[\s│]/g, "");
  return formsOf(key).some((form) => text.includes(form) || joined.includes(form));
}

/** Where a key is found, of what was printed. */
export function leaksOf({ stdout, stderr }: Pick<Run, "stdout" | "stderr">, key: string): string[] {
  return [
    ...(holdsKey(stdout, key) ? ["stdout"] : []),
    ...(holdsKey(stderr, key) ? ["stderr"] : []),
  ];
}

/** The files below a folder whose name or content holds a key. */
export async function filesWith(folder: string, key: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? await readFile(path, "latin1") : "";
    if (holdsKey(entry.name, key) || holdsKey(content, key)) found.push(path);
  }
  return found;
}

/** How many files there are, so that a search that found nothing is known to have searched something. */
export async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
