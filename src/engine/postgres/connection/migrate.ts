import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { codeOf, isContended, unusable } from "./database-error.ts";
import { migrations, tables } from "./migrations.ts";

/** Key of the advisory lock under which processes migrate one after the other. The same in every release. */
const lockNumber = 0x5343_544c;

/** Maximum attempts when other processes interfere. */
const maxAttempts = 10;

/** SQLSTATEs: undefined table, undefined function, feature not supported. */
const noTable = "42P01";
const [noFunction, notSupported] = ["42883", "0A000"];

/** SQLSTATEs when another process created the schema or a table at the same time. */
const createdMeanwhile = /^(?:42P0[67]|23505|42710)$/;

/**
 * Brings the schema up to date, and creates it and its tables if they are missing. Safe to run in several
 * processes at once.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to a newer sendctl; otherwise the
 *   error of the driver
 */
export async function migrate(connection: Connection, address: Address): Promise<void> {
  if ((await stepsBehind(connection, address)) === 0) return;
  let usesLock = true;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.send({ text: "BEGIN" });
      if (usesLock) {
        await connection.send({ text: `SELECT pg_advisory_xact_lock(${lockNumber})` });
      }
      await applyMigrations(connection, address);
      await connection.send({ text: "COMMIT" });
      return;
    } catch (error) {
      if (!connection.isClosed()) await connection.send({ text: "ROLLBACK" });
      const code = codeOf(error);
      if (usesLock && (code === noFunction || code === notSupported)) usesLock = false;
      else if (attempt >= maxAttempts || !(isContended(error) || createdMeanwhile.test(code)))
        throw error;
    }
  }
}

async function applyMigrations(connection: Connection, address: Address): Promise<void> {
  if (!(await hasSchema(connection, address))) {
    await connection.send({ text: `CREATE SCHEMA IF NOT EXISTS ${address.schema}` });
  }
  // Another process may have been faster.
  const behind = await stepsBehindInTransaction(connection, address);
  if (behind === 0) return;
  const versionTable = [
    "CREATE TABLE sendctl (version integer NOT NULL)",
    "INSERT INTO sendctl (version) VALUES (0)",
  ];
  const texts = [
    ...(behind === migrations.length ? versionTable : []),
    ...migrations.slice(-behind).flat(),
    `UPDATE sendctl SET version = ${migrations.length}`,
  ];
  await Promise.all(texts.map((text) => connection.send({ text })));
}

/**
 * Returns the number of missing migrations. Takes one statement if there are none.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to a newer sendctl
 */
export async function stepsBehind(connection: Connection, address: Address): Promise<number> {
  try {
    const { rows } = await connection.send({
      text: `SELECT version FROM ${address.schema}.sendctl`,
    });
    const [row] = rows as { version: number }[];
    if (row === undefined) throw notOurs(address);
    if (row.version > migrations.length) {
      const hint = "update sendctl, or use another database";
      throw unusable(address, ["newer", "was written by a newer sendctl", hint]);
    }
    return migrations.length - row.version;
  } catch (error) {
    if (/^42703$/.test(codeOf(error))) throw notOurs(address);
    // 3F000: no such schema.
    if (![noTable, "3F000"].includes(codeOf(error))) throw error;
  }
  const names = tables.map((table) => `'${table}'`).join(", ");
  const { rows } = await connection.send({
    text: `SELECT table_name AS name FROM information_schema.tables
           WHERE table_schema = $1 AND table_name IN (${names})`,
    values: [address.schema],
  });
  const existing = (rows as { name: string }[]).map(({ name }) => name);
  // Another process has created them since.
  if (existing.includes("sendctl")) return stepsBehind(connection, address);
  if (existing.length > 0) throw notOurs(address);
  return migrations.length;
}

/** Does the same inside a transaction, which a failing statement would abort. */
async function stepsBehindInTransaction(connection: Connection, address: Address): Promise<number> {
  const { count } = await connection.send({
    text: `SELECT 1 FROM information_schema.tables
           WHERE table_schema = $1 AND table_name = 'sendctl'`,
    values: [address.schema],
  });
  return count === 0 ? migrations.length : stepsBehind(connection, address);
}

async function hasSchema(connection: Connection, { schema }: Address): Promise<boolean> {
  const { count } = await connection.send({
    text: "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
    values: [schema],
  });
  return count > 0;
}

function notOurs(address: Address): Error {
  const message = `has tables of another program in its schema ${address.schema}`;
  return unusable(address, ["foreign", message, "use another schema with ?schema=NAME"]);
}
