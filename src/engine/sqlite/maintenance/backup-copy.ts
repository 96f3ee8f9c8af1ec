import { readFileSync } from "node:fs";
import type { Microseconds, Store } from "../../store/store.ts";
import { storeOn } from "../store.ts";
import { connect } from "../connection/connect.ts";
import { databaseError } from "../connection/database-error.ts";
import { assignNewIdentity } from "../connection/mark.ts";
import { logSize, type Database } from "../connection/open.ts";
import { refuseSource, unusableBackup } from "./restore-source.ts";
import { validateCopy } from "./restore.ts";

/** Opens a Store on a copy of a backup in memory: see `openBackupCopy`. @param now microseconds since 1970 */
export function openBackupStore(source: string, now: () => Microseconds): Store {
  return storeOn(() => openBackupCopy(source), source, now);
}

/** Writes such a copy to a file that does not exist yet. */
export function writeBackupCopy(source: string, file: string): void {
  const copy = openBackupCopy(source);
  try {
    copy.prepare<[string]>("VACUUM INTO ?").run(file);
  } finally {
    copy.close();
  }
}

/**
 * Opens a copy of a backup in memory, with the newest schema and without its keys. The backup is not changed.
 *
 * @param source absolute path
 * @throws SendctlError "usage" for what is not a file, "database" for a backup that is damaged or in use
 */
function openBackupCopy(source: string): Database {
  refuseSource(":memory:", source);
  if (logSize(source) > 0) {
    throw unusableBackup(source, "locked", "is in use, or was not closed");
  }
  let copy: Database | undefined;
  try {
    const image = readFileSync(source);
    // The version of the format: 2 is a database with a write-ahead log, which one in memory cannot have.
    image.fill(1, 18, 20);
    copy = connect(image);
    validateCopy(copy, source);
    copy.pragma("foreign_keys = ON");
    copy.exec("DELETE FROM secret_key");
    assignNewIdentity(copy);
    return copy;
  } catch (error) {
    copy?.close();
    throw databaseError(error, source);
  }
}
