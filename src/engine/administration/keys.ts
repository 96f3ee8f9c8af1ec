import type Crypto from "node:crypto";
import { SendctlError } from "../../contract/error.ts";
import type { Store } from "../store.ts";

/** Loaded with the first key: most commands need none. */
let cryptography: Promise<typeof Crypto> | undefined;

function crypto(): Promise<typeof Crypto> {
  return (cryptography ??= import("node:crypto"));
}

/** Ruling 23: random bytes in a key. */
const keyBytes = 32;

/** A new secret key: 256 random bits, in characters that a header and a shell can carry. */
export async function newKey(): Promise<string> {
  const { randomBytes } = await crypto();
  return `sk_${randomBytes(keyBytes).toString("base64url")}`;
}

/** What a key is known by in lists. */
export function keyEnding(key: string): string {
  return key.slice(-4);
}

/** Hashes of keys that came lately: a server is sent the same few with every request. */
const hashes = new Map<string, Uint8Array>();
const maxHashes = 1000;

/** SHA-256 of a secret key: what the store keeps instead of the key (ruling 23). */
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
 * The id of the integration that a key owns. Its secrecy is not the point here, whoever can read the file
 * owns it; a key that another service issued must not be taken for one of this database.
 *
 * @param source what holds the key
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
