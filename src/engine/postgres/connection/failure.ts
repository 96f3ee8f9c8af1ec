import type { Address } from "./address.ts";
import { connect, type Connection } from "./connection.ts";
import { codeOf, damaged, databaseError, unusable } from "./database-error.ts";
import { schemaVersion } from "./migrate.ts";
import { columns, tables } from "./migrations.ts";

/** SQLSTATEs of an unknown table, column or schema. */
const undefinedNames: ReadonlySet<string> = new Set(["42P01", "42703", "3F000"]);

/** Timeouts in milliseconds. */
const limits = { statement: 10_000, lock: 10_000 };

/**
 * Converts an error of the driver as `databaseError` does. If a table or column is missing, examines the schema:
 * either a newer sendctl has migrated it meanwhile, or it is damaged, or our SQL is wrong, which is a defect.
 *
 * @param attempts how often the statement was tried
 */
export async function failureOf(error: unknown, address: Address, attempts = 1): Promise<unknown> {
  if (!undefinedNames.has(codeOf(error))) return databaseError(error, address, attempts);
  let connection: Connection | undefined;
  try {
    connection = await connect(address, limits);
    await schemaVersion(connection, address);
    const isComplete = await hasAllColumns(connection, address);
    return isComplete ? error : unusable(address, damaged, error, attempts);
  } catch (failure) {
    return databaseError(failure, address, attempts);
  } finally {
    connection?.destroy();
  }
}

async function hasAllColumns(connection: Connection, { schema }: Address): Promise<boolean> {
  const { rows } = await connection.send({
    text: `SELECT table_name || '.' || column_name AS name
           FROM information_schema.columns WHERE table_schema = $1`,
    values: [schema],
  });
  const found = new Set((rows as { name: string }[]).map(({ name }) => name));
  return tables.every((table) => columns[table].every((column) => found.has(`${table}.${column}`)));
}
