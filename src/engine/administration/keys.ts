import type Crypto from "node:crypto";
import { SendctlError } from "../../core/error.ts";
import type { Store } from "../store/store.ts";

/** Loaded at first use, because most commands need no key. */
let cryptography: Promise<typeof Crypto> | undefined;

function crypto(): Promise<typeof Crypto> {
  return (cryptography ??= import("node:crypto"));
}

/** Ruling 23: number of random bytes in a key. */
const keyBytes = 32;

/** Generates a secret key: 256 random bits in characters that are safe in a header and in a shell. */
export async function newKey(): Promise<string> {
  const { randomBytes } = await crypto();
  return `sk_${randomBytes(keyBytes).toString("base64url")}`;
}

/** Returns the last characters of a key, which identify it in lists. */
export function keyEnding(key: string): string {
  return key.slice(-4);
}

/** Cached hashes of recent keys: a server gets the same few keys with every request. */
const hashes = new Map<string, Uint8Array>();
const maxHashes = 1000;

/** Returns the SHA-256 of a secret key, which the store has instead of the key (ruling 23). */
export async function keyHash(key: string): Promise<Uint8Array> {
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const { createHash } = await crypto();
  const hash = createHash("sha256").update(key, "utf8").digest();
  if (hashes.size >= maxHashes) hashes.clear();
  hashes.set(key, hash);
  return hash;
}

/**
 * Returns the id of the integration that a key selects. This is not access control, since anyone who can read
 * the file owns it; it rejects keys that another service issued.
 *
 * @param source name of the setting that holds the key
 * @throws SendctlError "auth" for a key that this database did not issue
 */
export async function integrationOfKey(store: Store, key: string, source: string): Promise<number> {
  const owner = await store.ownerOfKey(await keyHash(key));
  if (owner === undefined) {
    throw new SendctlError("auth", `this database did not issue the secret key in ${source}`, {
      hint: "unset it to use the default integration",
      setting: source,
    });
  }
  return owner.integration;
}
