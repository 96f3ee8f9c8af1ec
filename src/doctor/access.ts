import { statSync, type Stats } from "node:fs";
import { platform } from "node:process";
import { dirname } from "node:path";
import { shellWord } from "../core/safe-text.ts";

/** Permission bits of everyone but the owner. */
const others = 0o077;
/** In a folder with this bit, users cannot replace each other's files. */
const sticky = 0o1000;

/** Paths that others may use, and the commands that restrict them. */
interface Exposure {
  readonly detail: string;
  readonly fix: string;
}

/**
 * Checks whether others may use a file or its folder. A folder that is not sendctl's own may be shared if
 * others cannot replace its files. Windows has no such permission bits: Node reports the same ones for every file.
 *
 * @returns undefined if only the owner may, and on Windows
 */
export function openToOthers(
  file: string,
  isOwnFolder: boolean,
  system: NodeJS.Platform = platform,
): Exposure | undefined {
  if (system === "win32") return undefined;
  const folder = dirname(file);
  const found = [
    ...exposed(file, statSync(file), others, "600"),
    ...exposed(
      folder,
      statSync(folder),
      isOwnFolder ? others : 0o022,
      isOwnFolder ? "700" : "go-w",
    ),
  ];
  if (found.length === 0) return undefined;
  return {
    detail: `open to others: ${found.map(({ detail }) => detail).join(", ")}`,
    fix: found.map(({ fix }) => fix).join(" && "),
  };
}

function exposed(path: string, { mode }: Stats, unwanted: number, wanted: string): Exposure[] {
  if ((mode & unwanted) === 0 || (mode & sticky) !== 0) return [];
  const octal = (mode & 0o777).toString(8).padStart(3, "0");
  return [{ detail: `${path} (${octal})`, fix: `chmod ${wanted} ${shellWord(path)}` }];
}
