import { createHash } from "node:crypto";

/** The table of the version, which is created first. */
export const versionTable = "sendctl";

/** All tables: the version table first, and every other after those that it references. */
export const tables: readonly string[] = [
  versionTable,
  "integration",
  "secret_key",
  "sender_id",
  "contact_group",
  "contact",
];

/**
 * Returns a function that adds the schema to the tables of a statement, which follow these words. The name is the same
 * for the same text in all processes, because a pooler may share what one of them has prepared.
 */
export function qualifier(schema: string): (text: string) => { text: string; name: string } {
  const table = new RegExp(
    String.raw`\b(FROM|JOIN|INTO|UPDATE|TABLE|REFERENCES)\s+(?=(?:${tables.join("|")})\b)`,
    "g",
  );
  const known = new Map<string, { text: string; name: string }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const own = text.replace(table, `$1 ${schema}.`);
    const name = createHash("sha256").update(own).digest("base64url").slice(0, 32);
    const statement = { text: own, name };
    known.set(text, statement);
    return statement;
  };
}
