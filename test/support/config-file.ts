import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Home } from "./home.ts";

/** The config file of a home. */
export function configOf({ folder }: Pick<Home, "folder">): string {
  return join(folder, ".config", "sendctl", "config.json");
}

/** Writes the config file of a home, from an object or as the given text, and returns its text. */
export async function writeConfig(home: Pick<Home, "folder">, config: unknown): Promise<string> {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  await mkdir(dirname(configOf(home)), { recursive: true });
  await writeFile(configOf(home), text);
  return text;
}
