import { openOwnFile } from "../../core/own-file.ts";
import type { Capabilities } from "../../command/capabilities.ts";

const ownLine =
  /^(?:SENDCTL_(?:BASE_URL|SECRET_KEY|CONTROL_URL|INSPECT_URL|DATABASE)|NODE_EXTRA_CA_CERTS)=/;

/** In bytes: `serve` writes no larger file. */
const maxFileBytes = 4096;

/**
 * Prepares a file for `serve --write-env`: lines `NAME=value`, as Docker and `node --env-file` read them. Only a file that `serve` wrote before is replaced.
 *
 * @param pathOf returns the absolute path of a file
 * @throws SendctlError "usage" for a link, another kind of file, other content, or a folder that does not exist
 */
export function openEnvFile(given: string, pathOf: (file: string) => string) {
  const { text, write, remove } = openOwnFile(given, pathOf, {
    option: "--write-env",
    author: "serve",
    maxBytes: maxFileBytes,
    isOwn: (existing) => existing.split("\n").every((line) => line === "" || ownLine.test(line)),
  });
  return {
    /** The key in the existing file; undefined if it has none. */
    key: /^SENDCTL_SECRET_KEY=(.+)$/m.exec(text)?.[1],
    /** Replaces the file atomically, readable only by its owner. @throws SendctlError "usage" */
    write: (variables: Readonly<Record<string, string | undefined>>): void => {
      const values = Object.entries(variables).filter(([, value]) => value !== undefined);
      write(values.map(([name, value]) => `${name}=${value}\n`).join(""));
    },
    /** Removes the file if it is as it was written. */
    remove,
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

/** Returns the key in a file if the database accepts it, else a new one. */
export async function keyForFile(
  { administration, callerOf }: Engine,
  key: string | undefined,
): Promise<string> {
  const isValid = key !== undefined && (await callerOf(key)) !== undefined;
  return isValid ? key : newKey(administration);
}

function keyOf({ envelope }: Awaited<ReturnType<Administration["createKey"]>>): string {
  return (envelope!.data as { readonly secret_key: string }).secret_key;
}
