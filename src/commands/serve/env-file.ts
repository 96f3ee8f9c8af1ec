import { openOwnFile } from "../../core/own-file.ts";
import { shellWord } from "../../core/text.ts";
import type { Session } from "../../command/session.ts";

/** The variables with what a client needs, by its names in JSON. */
const variables = {
  base_url: "SENDCTL_BASE_URL",
  secret_key: "SENDCTL_SECRET_KEY",
  control_url: "SENDCTL_CONTROL_URL",
  inspect_url: "SENDCTL_INSPECT_URL",
  database: "SENDCTL_DATABASE",
  ca_file: "NODE_EXTRA_CA_CERTS",
} as const;

type Name = keyof typeof variables;

/** What a client needs, or the file that has it. */
export type Client = { readonly [Field in Name | "env_file"]?: string | undefined };

/** Returns lines that set the variables of a client. */
export function variableLines(client: Client, prefix = ""): string {
  const given = (Object.keys(variables) as Name[]).flatMap((name) => {
    const value = client[name];
    // A shell also reads the lines, and a path may have spaces.
    const isPath = name === "database" || name === "ca_file";
    return value === undefined ? [] : [`${variables[name]}=${isPath ? shellWord(value) : value}`];
  });
  return given.map((line) => `${prefix}${line}\n`).join("");
}

const ownLine = new RegExp(`^(?:${Object.values(variables).join("|")})=`);

/** In bytes: `serve` writes no larger file. */
const maxFileBytes = 4096;

/**
 * Prepares a `serve --write-env` file for Docker and `node --env-file`. Replaces only its own.
 *
 * @param pathOf returns the absolute path of a file
 * @throws SendctlError "usage" for a link, other content or kind of file, or a missing folder
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
    write: (client: Client): void => write(variableLines(client)),
    /** Removes the file if it is as it was written. */
    remove,
  };
}

type Engine = Awaited<ReturnType<Session["local"]["engine"]>>;
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
