import type { Database } from "better-sqlite3";
import { connect } from "./connect.ts";
import { migrations } from "./migrations.ts";

interface Part {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Yields the tables, indexes and triggers that differ from those that the migrations up to the
 * database's version create, or that only a later migration creates.
 */
export function* schemaDifferences(database: Database): Generator<string> {
  const version = Math.max(0, database.pragma("user_version", { simple: true }) as number);
  const reference = connect(":memory:");
  try {
    for (const migration of migrations.slice(0, version)) reference.exec(migration);
    const expected = partsOf(reference);
    for (const migration of migrations.slice(version)) reference.exec(migration);
    const known = new Set(expected.map(keyOf));
    const later = new Set(partsOf(reference).map(keyOf));
    const found = new Map(partsOf(database).map((part) => [keyOf(part), part.sql]));
    for (const part of expected) {
      const sql = found.get(keyOf(part));
      if (sql === undefined) yield `${keyOf(part)} is missing`;
      else if (sql !== part.sql) yield `${keyOf(part)} was altered`;
    }
    for (const key of found.keys()) {
      if (later.has(key) && !known.has(key)) yield `${key} belongs to a later version`;
    }
  } finally {
    reference.close();
  }
}

function partsOf(database: Database): Part[] {
  return database
    .prepare<[]>("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .all() as Part[];
}

function keyOf({ type, name }: Part): string {
  return `${type} ${name}`;
}
