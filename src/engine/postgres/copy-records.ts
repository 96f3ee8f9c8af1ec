import { SendctlError } from "../../core/error.ts";
import {
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
import { readAddress, type ConnectionRuntime } from "./connection/address.ts";
import { connected } from "./connection/connections.ts";
import type { Connection, Value } from "./connection/connection.ts";
import { migrations, schemaVersion } from "./connection/migrations.ts";
import { openQueries } from "./queries.ts";
import { visible } from "./conditions.ts";

interface Database {
  readonly url: string;
  readonly shown: string;
}

/** Timeouts in milliseconds. A statement of a large copy may take minutes. */
const limits = { statement: 600_000, lock: 10_000, idle: 60_000 };

/** Opens a database as the source of a copy, read-only. */
export function postgresCopySource(
  { url, shown }: Database,
  runtime: ConnectionRuntime,
): CopySource {
  const address = readAddress(url, runtime);
  return {
    name: shown,
    read: (use) =>
      connected(address, limits, async (connection) => {
        if ((await schemaVersion(connection, address)) < migrations.length) {
          throw new SendctlError(
            "usage",
            `the database ${shown} is empty or was written by an older sendctl`,
            { hint: "run another command on it first, such as: sendctl group list" },
          );
        }
        await connection.send({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
        return use(readerOf(connection));
      }),
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
        // Otherwise the database may not look empty.
        await queries.sweep();
        return await queries.transact(
          async (connection) => {
            if ((await connection.send({ text: anyRecord })).count > 0) {
              const hint = "copy to a new database, or reset that one first (sendctl local reset)";
              const message = `the database ${shown} already contains records`;
              throw new SendctlError("usage", message, { hint });
            }
            // The default integration is copied like any other.
            await connection.send({ text: "DELETE FROM integration" });
            return use(writerOf(connection));
          },
          { limits },
        );
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

function readerOf(connection: Connection): CopyReader {
  return {
    clock: async () => {
      const { rows } = await connection.send({
        text: `SELECT newest, last_integration AS integration, last_key AS secret_key,
                 last_sender_id AS sender_id, last_group AS contact_group FROM clock`,
      });
      return rows[0] as CopiedClock;
    },

    rows: rowsReader(
      async (text, after) =>
        (await connection.send({ text, values: [after], isPrepared: true })).rows,
      visible,
    ),
  };
}

const types = { number: "bigint", text: "text", flag: "boolean", bytes: "bytea", uuid: "uuid" };

function writerOf(connection: Connection): CopyWriter {
  return {
    put: async ({ name, columns }: CopiedTable, rows: readonly CopiedRow[]) => {
      const names = columns.map(([column]) => column).join(", ");
      const given = columns.map(([, kind], index) => `$${index + 1}::${types[kind]}[]`).join(", ");
      await connection.send({
        text: `INSERT INTO ${name} (${names})
               SELECT ${names} FROM unnest(${given}) WITH ORDINALITY
                 AS given (${names}, place) ORDER BY place`,
        values: columns.map((_, index): Value => rows.map((row) => row[index]!)),
      });
    },

    finish: async ({ newest, integration, secret_key, sender_id, contact_group }: CopiedClock) => {
      await connection.send({
        text: `UPDATE clock SET newest = greatest(newest, $1), last_integration = $2, last_key = $3,
                 last_sender_id = $4, last_group = $5`,
        values: [newest, integration, secret_key, sender_id, contact_group],
      });
      await connection.send({
        text: `UPDATE integration SET
                 sender_id_total =
                   (SELECT count(*) FROM sender_id WHERE integration_id = integration.id),
                 contact_group_total =
                   (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)`,
      });
      await connection.send({
        text: `UPDATE contact_group SET contacts_count = found.count
               FROM (SELECT group_id, count(*) AS count FROM contact GROUP BY group_id) AS found
               WHERE found.group_id = contact_group.id`,
      });
    },
  };
}
