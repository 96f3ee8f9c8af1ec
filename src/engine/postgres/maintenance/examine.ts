import { readAddress, type ConnectionRuntime } from "../connection/address.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { failureOf } from "../connection/failure.ts";
import { schemaVersion } from "../connection/migrate.ts";
import { migrations } from "../connection/migrations.ts";

/** Findings about a PostgreSQL database, gathered without creating or changing anything. */
export interface ExaminedPostgres {
  /** Version of the server. */
  readonly server: string;
  /** Schema version; undefined if sendctl has created no tables yet. */
  readonly version: number | undefined;
  readonly newestVersion: number;
  readonly isEncrypted: boolean;
  /** Whether the database issued the key; undefined without a key or without tables. */
  readonly knowsKey: boolean | undefined;
}

/**
 * Examines a PostgreSQL database for `doctor`.
 *
 * @param timeout in milliseconds
 * @param keyHash hash of the key to look up
 * @throws SendctlError "usage" for an invalid address, "database" if the database cannot be used
 */
export async function examinePostgres(
  url: string,
  runtime: ConnectionRuntime,
  timeout: number,
  keyHash: Uint8Array | undefined,
): Promise<ExaminedPostgres> {
  const address = readAddress(url, runtime, Math.max(1, timeout - 500));
  let connection: Connection | undefined;
  try {
    connection = await connect(address, { statement: timeout, lock: timeout });
    const { rows } = await connection.send({ text: "SHOW server_version" });
    const version = await schemaVersion(connection, address);
    const isCreated = version > 0;
    return {
      server: (rows[0] as { server_version: string }).server_version,
      version: isCreated ? version : undefined,
      newestVersion: migrations.length,
      isEncrypted: address.tls !== false,
      knowsKey:
        isCreated && keyHash !== undefined ? await isIssued(connection, keyHash) : undefined,
    };
  } catch (error) {
    throw await failureOf(error, address);
  } finally {
    connection?.destroy();
  }
}

async function isIssued(connection: Connection, hash: Uint8Array): Promise<boolean> {
  const text = "SELECT 1 FROM secret_key WHERE hash = $1";
  return (await connection.send({ text, values: [hash] })).count > 0;
}
