import { readAddress, type ConnectionRuntime } from "../connection/address.ts";
import { connected } from "../connection/connected.ts";
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
  return connected(address, { statement: timeout, lock: timeout }, async (connection) => {
    const { rows } = await connection.send({ text: "SHOW server_version" });
    const version = await schemaVersion(connection, address);
    const isCreated = version > 0;
    const issued =
      isCreated && keyHash !== undefined
        ? await connection.send({ text: isIssued, values: [keyHash] })
        : undefined;
    return {
      server: (rows[0] as { server_version: string }).server_version,
      version: isCreated ? version : undefined,
      newestVersion: migrations.length,
      isEncrypted: address.tls !== false,
      knowsKey: issued && issued.count > 0,
    };
  });
}

const isIssued = "SELECT 1 FROM secret_key WHERE hash = $1";

/**
 * Connects to a database and disconnects.
 *
 * @param timeout maximum wait for the connection, in milliseconds
 * @param signal ends the wait
 * @throws SendctlError "usage" for an invalid address, "database" if it cannot be reached
 */
export async function reachPostgres(
  url: string,
  runtime: ConnectionRuntime,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  const address = readAddress(url, runtime, timeout);
  await connected(address, { statement: timeout, lock: timeout }, async () => {}, signal);
}
