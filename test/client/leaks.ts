import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "./run-remote.ts";

/** Returns the forms that a key can have in text: plain, JSON, nested JSON, URL. */
function formsOf(key: string): string[] {
  const json = JSON.stringify(key).slice(1, -1);
  return [key, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(key)];
}

/** Returns whether a text contains a key, even wrapped over lines of a table. */
function holdsKey(text: string, key: string): boolean {
  const joined = text.replaceAll(/[\s│]/g, "");
  return formsOf(key).some((form) => text.includes(form) || joined.includes(form));
}

/** Returns the streams on which a key was printed. */
export function leaksOf({ stdout, stderr }: Pick<Run, "stdout" | "stderr">, key: string): string[] {
  return [
    ...(holdsKey(stdout, key) ? ["stdout"] : []),
    ...(holdsKey(stderr, key) ? ["stderr"] : []),
  ];
}

/** Returns the files under a folder whose name or content contains a key. */
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
