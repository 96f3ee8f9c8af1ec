import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { shellWord } from "../output/shell-word.ts";

/** Bits of a mode: anybody's but the owner's, and what keeps others from replacing each other's files. */
const others = 0o077;
const sticky = 0o1000;

/** What others may do with a file of ours, and the commands that end it. */
interface Opening {
  readonly detail: string;
  readonly fix: string;
}

/**
 * Whether anybody but its owner may use a file or its folder. A folder that is not sendctl's own may be
 * shared, as long as nobody else can replace what is in it.
 *
 * @returns undefined where all is well
 */
export function openToOthers(file: string, isOwnFolder: boolean): Opening | undefined {
  const folder = dirname(file);
  const found = [
    ...opened(file, statSync(file), others, "600"),
    ...opened(folder, statSync(folder), isOwnFolder ? others : 0o022, isOwnFolder ? "700" : "go-w"),
  ];
  if (found.length === 0) return undefined;
  return {
    detail: `open to others: ${found.map(({ detail }) => detail).join(", ")}`,
    fix: found.map(({ fix }) => fix).join(" && "),
  };
}

function opened(path: string, { mode }: Stats, unwanted: number, wanted: string): Opening[] {
  if ((mode & unwanted) === 0 || (mode & sticky) !== 0) return [];
  const octal = (mode & 0o777).toString(8).padStart(3, "0");
  return [{ detail: `${path} (${octal})`, fix: `chmod ${wanted} ${shellWord(path)}` }];
}
