import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { codeOf, isContended, unusable } from "./database-error.ts";
import { migrations, tables } from "./migrations.ts";

/** Any number, the same in every sendctl: those who bring one database up to date take turns. */
const lockNumber = 0x5343_544c;

/** How prepared it is tried again when others were in the way. */
const maxAttempts = 10;

/** SQLSTATE: no such table, no such function, nothing that could be done here. */
const noTable = "42P01";
const [noFunction, notSupported] = ["42883", "0A000"];

/** Those of a race between two who both make the schema, or a table of it. */
const madeMeanwhile = /^(?:42P0[67]|23505|42710)$/;

/**
 * Brings the schema up to date; makes it, and our tables in it, where there are none. Any number of
 * processes may do so at once.
 *
 * @throws SendctlError "database" where it is not ours or of a newer sendctl; the error of the driver otherwise
 */
export async function migrate(connection: Connection, address: Address): Promise<void> {
  if ((await stepsBehind(connection, address)) === 0) return;
  let takesTurns = true;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.send({ text: "BEGIN" });
      if (takesTurns) {
        await connection.send({ text: `SELECT pg_advisory_xact_lock(${lockNumber})` });
      }
      await carryOut(connection, address);
      await connection.send({ text: "COMMIT" });
      return;
    } catch (error) {
      if (!connection.isClosed()) await connection.send({ text: "ROLLBACK" });
      const code = codeOf(error);
      if (takesTurns && (code === noFunction || code === notSupported)) takesTurns = false;
      else if (attempt >= maxAttempts || !(isContended(error) || madeMeanwhile.test(code)))
        throw error;
    }
  }
}

async function carryOut(connection: Connection, address: Address): Promise<void> {
  if (!(await isSchemaThere(connection, address))) {
    await connection.send({ text: `CREATE SCHEMA IF NOT EXISTS ${address.schema}` });
  }
  // Another process may have been faster.
  const behind = await stepsBehindInside(connection, address);
  if (behind === 0) return;
  const beginning = [
    "CREATE TABLE sendctl (version integer NOT NULL)",
    "INSERT INTO sendctl (version) VALUES (0)",
  ];
  const texts = [
    ...(behind === migrations.length ? beginning : []),
    ...migrations.slice(-behind).flat(),
    `UPDATE sendctl SET version = ${migrations.length}`,
  ];
  await Promise.all(texts.map((text) => connection.send({ text })));
}

/**
 * How many migrations it lacks, if it is ours or empty. In one statement where it is up to date.
 *
 * @throws SendctlError "database" where it is not ours, or of a newer sendctl
 */
export async function stepsBehind(connection: Connection, address: Address): Promise<number> {
  try {
    const { rows } = await connection.send({
      text: `SELECT version FROM ${address.schema}.sendctl`,
    });
    const [row] = rows as { version: number }[];
    if (row === undefined) throw notOurs(address);
    if (row.version > migrations.length) {
      const hint = "update sendctl, or name another database";
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
  const there = (rows as { name: string }[]).map(({ name }) => name);
  // Another process has made them since.
  if (there.includes("sendctl")) return stepsBehind(connection, address);
  if (there.length > 0) throw notOurs(address);
  return migrations.length;
}

/** The same within a transaction, which a statement that fails would end. */
async function stepsBehindInside(connection: Connection, address: Address): Promise<number> {
  const { count } = await connection.send({
    text: `SELECT 1 FROM information_schema.tables
           WHERE table_schema = $1 AND table_name = 'sendctl'`,
    values: [address.schema],
  });
  return count === 0 ? migrations.length : stepsBehind(connection, address);
}

async function isSchemaThere(connection: Connection, { schema }: Address): Promise<boolean> {
  const { count } = await connection.send({
    text: "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
    values: [schema],
  });
  return count > 0;
}

function notOurs(address: Address): Error {
  const message = `has tables of another program in its schema ${address.schema}`;
  return unusable(address, ["foreign", message, "name another schema with ?schema=NAME"]);
}
