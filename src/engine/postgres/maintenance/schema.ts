import type { Connection } from "../connection/connection.ts";
import { expectedColumns, expectedConstraints, expectedIndexes } from "./expected-schema.ts";

/** The parts of a schema, each by its name with its definition. */
export interface SchemaParts {
  /** By table and column. */
  readonly columns: Readonly<Record<string, string>>;
  /** By table and name: keys, references and checks. */
  readonly constraints: Readonly<Record<string, string>>;
  /** Without the indexes of constraints, and those that PostgreSQL does not use because they are incomplete. */
  readonly indexes: Readonly<Record<string, string>>;
}

/** Reads the schema of the connection's tables from PostgreSQL's catalogue. @param schema name of the schema */
export async function readSchema({ send }: Connection, schema: string): Promise<SchemaParts> {
  const read = async (text: string): Promise<Record<string, string>> => {
    const { rows } = await send({ text, values: [schema] });
    const entries = (rows as { name: string; definition: string }[]).map(
      ({ name, definition }) => [name, definition.replaceAll(`${schema}.`, "")] as const,
    );
    return Object.fromEntries(entries);
  };
  return {
    columns: await read(
      `SELECT relname || '.' || attname AS name,
         format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS definition
       FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
       ORDER BY relname, attnum`,
    ),
    constraints: await read(
      `SELECT relname || '.' || conname AS name, pg_get_constraintdef(pg_constraint.oid) AS definition
       FROM pg_catalog.pg_constraint JOIN pg_catalog.pg_class ON pg_class.oid = conrelid
       WHERE relnamespace = $1::regnamespace AND contype IN ('p', 'u', 'f', 'c') AND convalidated
       ORDER BY relname, conname`,
    ),
    indexes: await read(
      `SELECT pg_class.relname AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
       WHERE relnamespace = $1::regnamespace AND indisvalid
         AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conindid = indexrelid)
       ORDER BY pg_class.relname`,
    ),
  };
}

/** Describes what a schema lacks. Further indexes, constraints and columns do not matter. */
export function schemaProblems(found: SchemaParts): string[] {
  const missing = (expected: Readonly<Record<string, string>>, parts: keyof SchemaParts) =>
    Object.entries(expected).filter(([name, definition]) => found[parts][name] !== definition);
  const existing = new Set(Object.values(found.indexes).map(withoutName));
  return [
    ...missing(expectedColumns, "columns").map(([name, definition]) => {
      const other = found.columns[name];
      return other === undefined
        ? `column ${name} (${definition}) is missing`
        : `column ${name} is ${other} instead of ${definition}`;
    }),
    ...missing(expectedConstraints, "constraints").map(([name, definition]) => {
      const [table, constraint] = name.split(".");
      return `constraint ${constraint} is missing: ALTER TABLE ${table} ADD CONSTRAINT ${constraint} ${definition}`;
    }),
    ...missing(expectedIndexes, "indexes")
      .filter(([, definition]) => !existing.has(withoutName(definition)))
      .map(([name, definition]) => `index ${name} is missing: ${definition}`),
  ];
}

/** An index that was created again may have another name. */
function withoutName(definition: string): string {
  return definition.replace(/INDEX \S+ ON/, "INDEX ON");
}
