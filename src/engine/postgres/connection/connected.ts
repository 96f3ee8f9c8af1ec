import type { Address } from "./address.ts";
import { connect, type Connection, type Limits } from "./connection.ts";
import { codeOf, damaged, databaseError, unusable } from "./database-error.ts";
import { schemaVersion } from "./migrate.ts";

/**
 * Runs `use` on a separate connection, which is closed afterwards. That rolls back an open transaction.
 *
 * @param signal ends the attempt to connect
 * @throws SendctlError "database" if the database cannot be used; the error of `use` if it is not one of the driver
 */
export async function connected<Result>(
  address: Address,
  limits: Limits,
  use: (connection: Connection) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let connection: Connection | undefined;
  try {
    connection = await connect(address, limits, signal);
    return await use(connection);
  } catch (error) {
    throw await failureOf(error, address);
  } finally {
    connection?.destroy();
  }
}

/** SQLSTATEs of an unknown table, column or schema. */
const undefinedNames: ReadonlySet<string> = new Set(["42P01", "42703", "3F000"]);

/** Timeouts of the version's lookup, in milliseconds. */
const limits = { statement: 10_000, lock: 10_000 };

/**
 * Converts an error of the driver as `databaseError` does. If a table or column is missing, a newer sendctl has migrated
 * the schema meanwhile, or it is damaged.
 *
 * @param attempts how often the statement was tried
 */
export async function failureOf(error: unknown, address: Address, attempts = 1): Promise<unknown> {
  if (!undefinedNames.has(codeOf(error))) return databaseError(error, address, attempts);
  let connection: Connection | undefined;
  try {
    connection = await connect(address, limits);
    await schemaVersion(connection, address);
    return unusable(address, damaged, error, attempts);
  } catch (failure) {
    return databaseError(failure, address, attempts);
  } finally {
    connection?.destroy();
  }
}
