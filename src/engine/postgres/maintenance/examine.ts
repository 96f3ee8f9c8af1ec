import { readAddress, type ConnectionRuntime } from "../connection/address.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { failureOf } from "../connection/failure.ts";
import { stepsBehind } from "../connection/migrate.ts";
import { migrations } from "../connection/migrations.ts";

/** What a look at a PostgreSQL database found; nothing of it was made or changed. */
export interface ExaminedPostgres {
  /** Of the server. */
  readonly server: string;
  /** Undefined where it holds nothing of ours yet. */
  readonly version: number | undefined;
  readonly newestVersion: number;
  readonly isEncrypted: boolean;
  /** Whether this key was issued; undefined where there are none yet. */
  readonly knowsKey: boolean | undefined;
}

/**
 * @param timeout in milliseconds
 * @param keyHash of a key to look for
 * @throws SendctlError "usage" for an address that makes no sense, "database" where it can't be used
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
    const behind = await stepsBehind(connection, address);
    const isThere = behind < migrations.length;
    return {
      server: (rows[0] as { server_version: string }).server_version,
      version: isThere ? migrations.length - behind : undefined,
      newestVersion: migrations.length,
      isEncrypted: address.tls !== false,
      knowsKey: isThere && keyHash !== undefined ? await isIssued(connection, keyHash) : undefined,
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
