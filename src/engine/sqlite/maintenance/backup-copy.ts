import type { Microseconds, Store } from "../../store/store.ts";
import { storeOn } from "../store.ts";
import { databaseError } from "../connection/database-error.ts";
import { assignNewIdentity } from "../connection/mark.ts";
import { connectImage, type Database } from "../connection/open.ts";
import { openCopy, refuseSource, validateCopy } from "./restore-source.ts";

/**
 * Opens a Store on a copy of a backup in memory, with the newest schema and without its keys. The backup is not changed.
 *
 * @param source absolute path
 * @param now microseconds since 1970
 * @throws SendctlError "usage" for what is not a file, "database" for a backup that is damaged or in use
 */
export async function openBackupStore(source: string, now: () => Microseconds): Promise<Store> {
  refuseSource(":memory:", source);
  let copy: Database | undefined;
  try {
    const image = (copy = connectImage(source));
    await validateCopy(image, source, new AbortController().signal);
    removeKeys(image);
    return storeOn(() => image, source, now);
  } catch (error) {
    copy?.close();
    throw databaseError(error, source);
  }
}

/** Writes such a copy to a file that does not exist yet. @throws SendctlError "cancelled" or "terminated", too */
export async function writeBackupCopy(
  source: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  refuseSource(file, source);
  const copy = await openCopy(source, file, signal);
  try {
    removeKeys(copy);
  } finally {
    copy.close();
  }
}

function removeKeys(copy: Database): void {
  copy.pragma("foreign_keys = ON");
  copy.exec("DELETE FROM secret_key");
  assignNewIdentity(copy);
}
