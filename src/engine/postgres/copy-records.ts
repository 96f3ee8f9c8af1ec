import { SendctlError } from "../../core/error.ts";
import {
  numberedNames,
  rowsPerBatch,
  type CopiedRow,
  type CopyReader,
  type CopySide,
  type CopyWriter,
} from "../maintenance/copy.ts";
import { countsSql, type RecordCounts } from "../maintenance/maintenance.ts";
import { defaultIntegration } from "../store/store.ts";
import { readAddress, type Address, type ConnectionRuntime } from "./address.ts";
import type { Send } from "./connection.ts";
import { newestVersion, schemaVersion } from "./schema.ts";
import { createQueries, openQueries, withQueries } from "./queries.ts";

/** Timeouts in milliseconds. A statement of a large copy may take minutes. */
const limits = { statement: 600_000, idle: 60_000 };

/** Returns what copies from a database, read-only, or to one, in which it creates missing tables. */
export function postgresCopySide(
  { url, shown }: { readonly url: string; readonly shown: string },
  runtime: ConnectionRuntime,
): CopySide {
  const address = readAddress(url, runtime);
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `the database ${shown} ${problem}`, { hint });
  return {
    name: shown,

    read: (use) =>
      withQueries(createQueries(address, limits), ({ transact }) =>
        transact(async (send) => {
          await send("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
          const version = await schemaVersion(send, address);
          if (version === 0) throw refuse("is empty", "copy one with records");
          if (version < newestVersion) {
            const hint = "run another command on it first, such as: sendctl group list";
            throw refuse("was written by an older sendctl", hint);
          }
          return use(readerOf(send, address));
        }),
      ),

    write: async (use) =>
      withQueries(await openQueries(address, limits), ({ transact }) =>
        transact(async (send) => {
          // Other writers wait until the copy ends.
          await send("LOCK TABLE integration");
          if ((await send(anyRecord)).length > 0) {
            const hint = "copy to a new database, or reset that one first (sendctl local reset)";
            throw refuse("already contains records", hint);
          }
          // The default integration is copied like any other.
          await send("DELETE FROM integration");
          return use(writerOf(send, address));
        }),
      ),
  };
}

/** Returns a row if the database has records apart from the default integration. */
const anyRecord = `
  SELECT 1 FROM integration WHERE id <> ${defaultIntegration}
  UNION ALL SELECT 1 FROM secret_key UNION ALL SELECT 1 FROM sender_id
  UNION ALL SELECT 1 FROM contact_group LIMIT 1`;

function readerOf(send: Send, { schema }: Address): CopyReader {
  return {
    rows: async function* (table, columns) {
      await send(`DECLARE copied CURSOR FOR SELECT ${columns.join()} FROM ${table} ORDER BY id`);
      for (;;) {
        const rows = await send<CopiedRow>(`FETCH ${rowsPerBatch} IN copied`);
        if (rows.length === 0) break;
        yield rows;
      }
      await send("CLOSE copied");
    },

    clock: async () => {
      const sql = "SELECT coalesce(max(newest), 0) AS newest FROM integration";
      const [found] = await send<{ newest: number }>(sql);
      const lastIds: Record<string, number> = {};
      for (const table of numberedNames) lastIds[table] = await lastId(send, schema, table);
      return { lastIds, newest: found!.newest };
    },
  };
}

/** Returns the last id that a table has given. A role that may not read its sequence knows only those that are stored. */
async function lastId(send: Send, schema: string, table: string): Promise<number> {
  const [found] = await send<{ last: number }>(
    `SELECT greatest((SELECT max(id) FROM ${table}), (
       SELECT last_value FROM pg_catalog.pg_sequences
       WHERE format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence($1, 'id')), 0) AS last`,
    `${schema}.${table}`,
  );
  return found!.last;
}

/** Returns a value as PostgreSQL reads it in JSON. */
function jsonOf(value: CopiedRow[string]): CopiedRow[string] {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}

const computeTotals = [
  `UPDATE integration SET
     sender_id_total = (SELECT count(*) FROM sender_id WHERE integration_id = integration.id),
     contact_group_total = (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)`,
  `UPDATE contact_group SET contacts_count = found.count
   FROM (SELECT group_id, count(*) AS count FROM contact GROUP BY group_id) AS found
   WHERE found.group_id = contact_group.id`,
];

function writerOf(send: Send, { schema }: Address): CopyWriter {
  return {
    insert: async (table, columns, rows) => {
      // As JSON, so that the table says which types the columns have.
      const given = rows.map((row) => columns.map((column) => [column, jsonOf(row[column]!)]));
      await send(
        `INSERT INTO ${table} (${columns.join()})
         SELECT ${columns.join()} FROM json_populate_recordset(NULL::${schema}.${table}, $1)`,
        JSON.stringify(given.map((row) => Object.fromEntries(row) as object)),
      );
    },

    finish: async ({ lastIds, newest }) => {
      for (const table of numberedNames) {
        const last = lastIds[table] ?? 0;
        const sequence = `pg_get_serial_sequence('${schema}.${table}', 'id')`;
        await send(`SELECT setval(${sequence}, $1, $2)`, Math.max(1, last), last > 0);
      }
      await send("UPDATE integration SET newest = $1", newest);
      for (const text of computeTotals) await send(text);
      const [counts] = await send<RecordCounts>(countsSql);
      return counts!;
    },
  };
}
