import { Failure } from "../failure.ts";
import { loadCrypto } from "./crypto.ts";
import type { Store } from "./store.ts";

/** Ruling 23: random bytes in a key. */
const keyBytes = 32;

/** A new secret key: 256 random bits, in characters that a header and a shell can carry. */
export async function newKey(): Promise<string> {
  const { randomBytes } = await loadCrypto();
  return `sk_${randomBytes(keyBytes).toString("base64url")}`;
}

/** What a key is known by in lists. */
export function keyEnding(key: string): string {
  return key.slice(-4);
}

/** SHA-256 of a secret key: what the store keeps instead of the key (ruling 23). */
export async function keyHash(key: string): Promise<Uint8Array> {
  const { createHash } = await loadCrypto();
  return createHash("sha256").update(key, "utf8").digest();
}

/**
 * The id of the integration that a key owns. Its secrecy is not the point here, whoever can read the file
 * owns it; a key that another service issued must not be taken for one of this database.
 *
 * @param source what holds the key
 * @throws Failure "key" for a key that this database did not issue
 */
export async function integrationOfKey(store: Store, key: string, source: string): Promise<number> {
  const owner = await store.ownerOfKey(await keyHash(key));
  if (owner === undefined) {
    throw new Failure(
      "key",
      `The secret key in ${source} was not issued by this database: ` +
        "unset it to use the default integration",
    );
  }
  return owner.integration;
}
