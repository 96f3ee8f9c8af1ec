import type { Capabilities } from "../../cli/capabilities.ts";
import type { EnvFile } from "./env-file.ts";

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

/** Returns the key in the file if the database accepts it, else a new one. */
export async function keyForFile(
  { administration, callerOf }: Engine,
  { key }: EnvFile,
): Promise<string> {
  const isValid = key !== undefined && (await callerOf(key)) !== undefined;
  return isValid ? key : newKey(administration);
}

function keyOf({ envelope }: Awaited<ReturnType<Administration["createKey"]>>): string {
  return (envelope!.data as { readonly secret_key: string }).secret_key;
}
