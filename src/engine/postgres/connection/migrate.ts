import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { migrateHint } from "../../maintenance/maintenance.ts";
import { codeOf, isContended, unusable, type Meaning } from "./database-error.ts";
import { compatibleWith, migrations, tables } from "./migrations.ts";

/** Key of the advisory lock under which processes migrate one after the other. The same in every release. */
const lockNumber = 0x5343_544c;

/** Maximum attempts when other processes interfere. */
const maxAttempts = 10;

/** SQLSTATEs: undefined table, undefined function, feature not supported. */
const noTable = "42P01";
const [noFunction, notSupported] = ["42883", "0A000"];

/** Permission denied, whose usual hint would not let a role change the schema. */
const notPermitted = "42501";
const cannotMigrate: Meaning = [
  "access",
  "denied permission to create or change tables",
  `run \`${migrateHint}\` as the owner of the schema, or grant the user CREATE on the database`,
];

/** SQLSTATEs when another process created the schema or a table at the same time. */
const createdMeanwhile = /^(?:42P0[67]|23505|42710)$/;

/**
 * Brings the schema up to date, and creates it and its tables if they are missing. Safe to run in several
 * processes at once.
 *
 * @returns the version before, 0 without tables
 * @throws SendctlError "database" if the schema belongs to another program or to an incompatible newer sendctl; otherwise the
 *   error of the driver
 */
export async function migrate(connection: Connection, address: Address): Promise<number> {
  const current = await schemaVersion(connection, address);
  if (current >= migrations.length) return current;
  let usesLock = true;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.send({ text: "BEGIN" });
      if (usesLock) {
        await connection.send({ text: `SELECT pg_advisory_xact_lock(${lockNumber})` });
      }
      const before = await applyMigrations(connection, address);
      await connection.send({ text: "COMMIT" });
      return before;
    } catch (error) {
      if (!connection.isClosed()) await connection.send({ text: "ROLLBACK" });
      const code = codeOf(error);
      if (usesLock && (code === noFunction || code === notSupported)) usesLock = false;
      else if (code === notPermitted) throw unusable(address, cannotMigrate, error);
      else if (attempt >= maxAttempts || !(isContended(error) || createdMeanwhile.test(code)))
        throw error;
    }
  }
}

/** @returns the version before */
async function applyMigrations(connection: Connection, address: Address): Promise<number> {
  if (!(await hasSchema(connection, address))) {
    await connection.send({ text: `CREATE SCHEMA IF NOT EXISTS ${address.schema}` });
  }
  // Another process may have been faster.
  const before = await versionInTransaction(connection, address);
  if (before >= migrations.length) return before;
  const versionTable = [
    "CREATE TABLE sendctl (version integer NOT NULL)",
    "INSERT INTO sendctl (version) VALUES (0)",
  ];
  const texts = [
    ...(before === 0 ? versionTable : []),
    ...migrations.slice(before).flat(),
    `UPDATE sendctl SET version = ${migrations.length},
       compatible_with = nullif(${oldestCompatible(migrations.length)}, ${migrations.length})`,
  ];
  await Promise.all(texts.map((text) => connection.send({ text })));
  return before;
}

/**
 * Returns the version of the schema, 0 without tables. It may be newer than this program if it is compatible with it.
 * Takes one statement if there are tables.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to an incompatible newer sendctl
 */
export async function schemaVersion(connection: Connection, address: Address): Promise<number> {
  try {
    // Before version 3, the column compatible_with does not exist.
    const { rows } = await connection.send({ text: `SELECT * FROM ${address.schema}.sendctl` });
    const [row] = rows as { version?: number; compatible_with?: number | null }[];
    if (typeof row?.version !== "number") throw notOurs(address);
    if ((row.compatible_with ?? row.version) > migrations.length) throw tooNew(address);
    return row.version;
  } catch (error) {
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
  if (existing.includes("sendctl")) return schemaVersion(connection, address);
  if (existing.length > 0) throw notOurs(address);
  return 0;
}

/**
 * Returns the number of missing migrations, for work that has to know every table and column.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to any newer sendctl
 */
export async function stepsBehind(connection: Connection, address: Address): Promise<number> {
  const version = await schemaVersion(connection, address);
  if (version > migrations.length) throw tooNew(address);
  return migrations.length - version;
}

/**
 * Checks that this program can use the schema as it is.
 *
 * @throws SendctlError "database" if it is missing, older or incompatible
 */
export async function refuseOtherSchema(connection: Connection, address: Address): Promise<void> {
  const version = await schemaVersion(connection, address);
  if (version === 0) {
    const message = `has no tables of sendctl in its schema ${address.schema}`;
    throw unusable(address, ["unmigrated", message, migrateHint]);
  }
  if (version < migrations.length) {
    const message = `has schema version ${version}, but this sendctl needs version ${migrations.length}`;
    throw unusable(address, ["unmigrated", message, migrateHint]);
  }
}

/**
 * Returns the oldest version whose programs work with the schema of a version.
 *
 * @param declared see `compatibleWith`
 */
export function oldestCompatible(
  version: number,
  declared: Readonly<Record<number, number>> = compatibleWith,
): number {
  const numbers = Array.from({ length: version }, (_, index) => index + 1);
  // An earlier migration may stop programs that a later one does not.
  return Math.max(0, ...numbers.map((number) => declared[number] ?? number));
}

/** Does the same inside a transaction, which a failing statement would abort. */
async function versionInTransaction(connection: Connection, address: Address): Promise<number> {
  const { count } = await connection.send({
    text: `SELECT 1 FROM information_schema.tables
           WHERE table_schema = $1 AND table_name = 'sendctl'`,
    values: [address.schema],
  });
  return count === 0 ? 0 : schemaVersion(connection, address);
}

async function hasSchema(connection: Connection, { schema }: Address): Promise<boolean> {
  const { count } = await connection.send({
    text: "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
    values: [schema],
  });
  return count > 0;
}

function tooNew(address: Address): Error {
  const hint = "update sendctl, or use another database";
  return unusable(address, ["newer", "was written by a newer sendctl", hint]);
}

function notOurs(address: Address): Error {
  const message = `has tables of another program in its schema ${address.schema}`;
  return unusable(address, ["foreign", message, "use another schema with ?schema=NAME"]);
}
