import { readAddress, type ConnectionRuntime } from "./address.ts";
import { connect } from "./connection.ts";
import { databaseError } from "./database-error.ts";

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
  try {
    const connection = await connect(address, { statement: timeout, lock: timeout }, signal);
    await connection.end();
  } catch (error) {
    throw databaseError(error, address);
  }
}
