import { migrateHint } from "../../store/store.ts";
import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { codeOf, isContended, unusable, type Meaning } from "./database-error.ts";
import { compatibleWith, migrations, tables } from "./migrations.ts";

/** The first table that is created. */
const versionTable = "sendctl";

/** Key of the advisory lock under which processes migrate one after the other. The same in every release. */
const lockNumber = 0x5343_544c;

/** Maximum attempts when other transactions interfere. */
const maxAttempts = 10;

/** Permission denied, whose usual hint would not let a role change the schema. */
const notPermitted = "42501";
const cannotMigrate: Meaning = [
  "access",
  "denied permission to create or change tables",
  `run \`${migrateHint}\` as the owner of the schema, or grant the user CREATE on the database`,
];

/**
 * Brings the schema up to date, and creates it and its tables if they are missing. Safe to run in several
 * processes at once.
 *
 * @returns the version before, 0 without tables
 * @throws SendctlError "database" if the schema belongs to another program or to an incompatible newer sendctl;
 *   otherwise the error of the driver
 */
export async function migrate(connection: Connection, address: Address): Promise<number> {
  const current = await schemaVersion(connection, address);
  if (current >= migrations.length) return current;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.send({ text: "BEGIN" });
      await connection.send({ text: `SELECT pg_advisory_xact_lock(${lockNumber})` });
      const before = await applyMigrations(connection, address);
      await connection.send({ text: "COMMIT" });
      return before;
    } catch (error) {
      if (!connection.isClosed()) await connection.send({ text: "ROLLBACK" });
      if (codeOf(error) === notPermitted) throw unusable(address, cannotMigrate, error);
      if (attempt >= maxAttempts || !isContended(error)) throw error;
    }
  }
}

/** @returns the version before */
async function applyMigrations(connection: Connection, address: Address): Promise<number> {
  const { count } = await connection.send({
    text: "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
    values: [address.schema],
  });
  // Even IF NOT EXISTS would need the right to create schemas.
  if (count === 0) await connection.send({ text: `CREATE SCHEMA ${address.schema}` });
  // Another process may have been faster.
  const before = await schemaVersion(connection, address);
  if (before >= migrations.length) return before;
  const createVersion = [
    `CREATE TABLE ${versionTable} (version integer NOT NULL)`,
    `INSERT INTO ${versionTable} (version) VALUES (0)`,
  ];
  const texts = [
    ...(before === 0 ? createVersion : []),
    ...migrations.slice(before).flat(),
    `UPDATE ${versionTable} SET version = ${migrations.length},
       compatible_with = nullif(${oldestCompatible(migrations.length)}, ${migrations.length})`,
  ];
  await Promise.all(texts.map((text) => connection.send({ text })));
  return before;
}

/**
 * Returns the version of the schema, 0 without tables. It may be newer than this program if it is compatible with it.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to an incompatible newer sendctl
 */
export async function schemaVersion(connection: Connection, address: Address): Promise<number> {
  const existing = await connection.send({
    text: "SELECT name FROM unnest($2::text[]) AS name WHERE to_regclass($1 || '.' || name) IS NOT NULL",
    values: [address.schema, tables],
  });
  if (existing.count === 0) return 0;
  const isOurs = (existing.rows as { name: string }[]).some(({ name }) => name === versionTable);
  if (!isOurs) throw notOurs(address);
  // Before version 3, the column compatible_with does not exist.
  const { rows } = await connection.send({
    text: `SELECT * FROM ${address.schema}.${versionTable}`,
  });
  const [row] = rows as { version?: number; compatible_with?: number | null }[];
  if (typeof row?.version !== "number") throw notOurs(address);
  if ((row.compatible_with ?? row.version) > migrations.length) throw tooNew(address);
  return row.version;
}

/**
 * Returns the version of the schema for work that has to know every table and column.
 *
 * @throws SendctlError "database" if the schema belongs to another program or to any newer sendctl
 */
export async function knownVersion(connection: Connection, address: Address): Promise<number> {
  const version = await schemaVersion(connection, address);
  if (version > migrations.length) throw tooNew(address);
  return version;
}

/**
 * Checks that this program can use the schema as it is.
 *
 * @throws SendctlError "database" if it is missing, older or incompatible
 */
export async function refuseOtherSchema(connection: Connection, address: Address): Promise<void> {
  const version = await schemaVersion(connection, address);
  if (version >= migrations.length) return;
  const message =
    version === 0
      ? `has no tables of sendctl in its schema ${address.schema}`
      : `has schema version ${version}, but this sendctl needs version ${migrations.length}`;
  throw unusable(address, ["unmigrated", message, migrateHint]);
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

function tooNew(address: Address): Error {
  const hint = "update sendctl, or use another database";
  return unusable(address, ["newer", "was written by a newer sendctl", hint]);
}

function notOurs(address: Address): Error {
  const message = `has tables of another program in its schema ${address.schema}`;
  return unusable(address, ["foreign", message, "use another schema with ?schema=NAME"]);
}
