import { SendctlError } from "../../core/error.ts";
import {
  numberedTables,
  rowsPerBatch,
  rowsReader,
  type CopiedClock,
  type CopiedRow,
  type CopiedTable,
  type CopyReader,
  type CopySource,
  type CopyTarget,
  type CopyWriter,
} from "../maintenance/copy.ts";
import { defaultIntegration } from "../store/store.ts";
import { readAddress, type Address, type ConnectionRuntime } from "./connection/address.ts";
import type { Send, Value } from "./connection/connection.ts";
import { newestVersion, schemaVersion } from "./connection/migrations.ts";
import { createQueries, openQueries } from "./queries.ts";

interface Database {
  readonly url: string;
  readonly shown: string;
}

/** Timeouts in milliseconds. A statement of a large copy may take minutes. */
const limits = { statement: 600_000, idle: 60_000 };

/** Opens a database as the source of a copy, read-only. */
export function postgresCopySource(
  { url, shown }: Database,
  runtime: ConnectionRuntime,
): CopySource {
  const address = readAddress(url, runtime);
  return {
    name: shown,
    read: async (use) => {
      const queries = createQueries(address, limits);
      try {
        return await queries.transact(async (send) => {
          await send("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
          if ((await schemaVersion(send, address)) < newestVersion) {
            throw new SendctlError(
              "usage",
              `the database ${shown} is empty or was written by an older sendctl`,
              { hint: "run another command on it first, such as: sendctl group list" },
            );
          }
          return use(readerOf(send, address));
        });
      } finally {
        await queries.close();
      }
    },
  };
}

/** Opens a database as the target of a copy and creates missing tables. Other writers wait until it ends. */
export function postgresCopyTarget(
  { url, shown }: Database,
  runtime: ConnectionRuntime,
): CopyTarget {
  const address = readAddress(url, runtime);
  return {
    name: shown,
    write: async (use) => {
      const queries = await openQueries(address, limits);
      try {
        return await queries.transact(async (send) => {
          await send("LOCK TABLE integration");
          if ((await send(anyRecord)).count > 0) {
            const hint = "copy to a new database, or reset that one first (sendctl local reset)";
            const message = `the database ${shown} already contains records`;
            throw new SendctlError("usage", message, { hint });
          }
          // The default integration is copied like any other.
          await send("DELETE FROM integration");
          return use(writerOf(send, address));
        });
      } finally {
        await queries.close();
      }
    },
  };
}

/** Returns a row if the database has records apart from the default integration. */
const anyRecord = `
  SELECT 1 FROM integration WHERE id <> ${defaultIntegration}
  UNION ALL SELECT 1 FROM secret_key UNION ALL SELECT 1 FROM sender_id
  UNION ALL SELECT 1 FROM contact_group LIMIT 1`;

function readerOf(send: Send, { schema }: Address): CopyReader {
  return {
    clock: async () => {
      const { rows } = await send("SELECT coalesce(max(newest), 0) AS newest FROM integration");
      const clock = { ...(rows[0] as { newest: number }) } as Record<string, number>;
      for (const table of numberedTables) clock[table] = await lastId(send, schema, table);
      return clock as unknown as CopiedClock;
    },

    rows: rowsReader(async function* (table, columns) {
      await send(`DECLARE copied CURSOR FOR SELECT ${columns} FROM ${table} ORDER BY id`);
      for (;;) {
        const { rows } = await send(`FETCH ${rowsPerBatch} IN copied`);
        if (rows.length === 0) break;
        yield rows;
      }
      await send("CLOSE copied");
    }),
  };
}

/** Returns the last id that a table has given. A role that may not read its sequence knows only those that are stored. */
async function lastId(send: Send, schema: string, table: string): Promise<number> {
  const { rows } = await send(
    `SELECT greatest((SELECT max(id) FROM ${table}), (
       SELECT last_value FROM pg_catalog.pg_sequences
       WHERE format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence($1, 'id')), 0) AS last`,
    `${schema}.${table}`,
  );
  return (rows as [{ last: number }])[0].last;
}

const types = { number: "bigint", text: "text", flag: "boolean", bytes: "bytea", uuid: "uuid" };

function writerOf(send: Send, { schema }: Address): CopyWriter {
  return {
    put: async ({ name, columns }: CopiedTable, rows: readonly CopiedRow[]) => {
      const names = columns.map(([column]) => column).join(", ");
      const given = columns.map(([, kind], index) => `$${index + 1}::${types[kind]}[]`).join(", ");
      const from = `unnest(${given}) WITH ORDINALITY AS given (${names}, place)`;
      const values = columns.map((_, index): Value => rows.map((row) => row[index]!));
      await (name === "contact"
        ? send(
            `INSERT INTO contact (integration_id, ${names})
             SELECT integration_id, ${names.replace(/\b(?=\w)/g, "given.")} FROM ${from}
             JOIN contact_group ON contact_group.id = group_id ORDER BY place`,
            ...values,
          )
        : send(
            `INSERT INTO ${name} (${names}) SELECT ${names} FROM ${from} ORDER BY place`,
            ...values,
          ));
    },

    finish: async ({ newest, ...last }: CopiedClock) => {
      for (const table of numberedTables) {
        const sequence = `pg_get_serial_sequence('${schema}.${table}', 'id')`;
        await send(`SELECT setval(${sequence}, $1, $2)`, Math.max(1, last[table]), last[table] > 0);
      }
      await send(
        `UPDATE integration SET newest = $1,
           sender_id_total = (SELECT count(*) FROM sender_id WHERE integration_id = integration.id),
           contact_group_total =
             (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)`,
        newest,
      );
      await send(
        `UPDATE contact_group SET contacts_count = found.count
         FROM (SELECT group_id, count(*) AS count FROM contact GROUP BY group_id) AS found
         WHERE found.group_id = contact_group.id`,
      );
    },
  };
}
