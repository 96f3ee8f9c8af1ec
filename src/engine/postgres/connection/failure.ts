import type { Address } from "./address.ts";
import { connect, type Connection } from "./connection.ts";
import { codeOf, damaged, databaseError, unusable } from "./database-error.ts";
import { schemaVersion } from "./migrate.ts";

/** SQLSTATEs of an unknown table, column or schema. */
const undefinedNames: ReadonlySet<string> = new Set(["42P01", "42703", "3F000"]);

/** Timeouts in milliseconds. */
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
