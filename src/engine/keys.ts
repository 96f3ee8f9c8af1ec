import { Failure } from "../failure.ts";
import type { Store } from "./store.ts";

/** SHA-256 of a secret key: what the store keeps instead of the key (ruling 23). */
async function keyHash(key: string): Promise<Uint8Array> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(key, "utf8").digest();
}

/**
 * The integration that a key owns. Its secrecy is not the point here, whoever can read the file owns it;
 * a key that another service issued must not be taken for one of this database.
 *
 * @throws Failure "key" for a key that this database did not issue
 */
export async function integrationOfKey(store: Store, key: string): Promise<number> {
  const integration = await store.integrationOfKey(await keyHash(key));
  if (integration === undefined) {
    throw new Failure(
      "key",
      "The secret key in SENDCTL_SECRET_KEY was not issued by this database: " +
        "unset it to use the default integration",
    );
  }
  return integration;
}
