import { randomBytes } from "node:crypto";
import { Client, types } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import { workOn, type TestDatabase } from "../support/test-database.ts";
import { startPostgres, whyNoPostgres, type PostgresServer } from "./postgres-server.ts";

/** Numbers for people to count on, as everything of ours counts with numbers. */
types.setTypeParser(20, Number);

/** A schema with all our tables, as new, and a connection to it. */
interface Place {
  readonly schema: string;
  readonly client: Client;
}

/** Emptied is sooner done than made. */
const free: Place[] = [];

const empty = `
  DELETE FROM writer; DELETE FROM integration;
  INSERT INTO integration (id, name, created_at) VALUES (1, 'default', 0);
  UPDATE clock SET newest = 0, last_integration = 1, last_key = 0, last_sender_id = 0, last_group = 0`;

async function newPlace(server: PostgresServer): Promise<Place> {
  const schema = `t${randomBytes(8).toString("hex")}`;
  const store = await openPostgresStore(
    server.url(schema),
    { env: {}, home: "/", folder: "/nowhere" },
    () => 0,
  );
  await store.close();
  const { port, user } = server;
  const options = `-c search_path=${schema}`;
  const client = new Client({ host: "127.0.0.1", port, user, database: "postgres", options });
  // A run that was given up for its time may outlive its server.
  client.on("error", () => {});
  await client.connect();
  return { schema, client };
}

/** One in a schema of its own. */
async function postgresDatabase(server: PostgresServer): Promise<TestDatabase> {
  const place = free.pop() ?? (await newPlace(server));
  const rows = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    (await place.client.query(sql, values)).rows as Row[];
  return {
    open: (now) =>
      openPostgresStore(server.url(place.schema), { env: {}, home: "/", folder: "/nowhere" }, now),
    rows,
    addIntegration: async (name) => {
      const [added] = await rows<{ id: number }>(
        `WITH next AS (UPDATE clock SET last_integration = last_integration + 1
                       RETURNING last_integration AS id)
         INSERT INTO integration (id, name, created_at) SELECT id, $1, 0 FROM next RETURNING id`,
        [name],
      );
      return added!.id;
    },
    addContact: async (group, phone) => {
      await rows(
        `WITH added AS (INSERT INTO contact (group_id, phone) VALUES ($1, $2) RETURNING group_id)
         UPDATE contact_group SET contacts_count = contacts_count + 1
         WHERE id IN (SELECT group_id FROM added)`,
        [group, phone],
      );
    },
    clearContacts: async () => {
      await rows("DELETE FROM contact");
      await rows("UPDATE contact_group SET contacts_count = 0");
    },
    close: async () => {
      await place.client.query(empty);
      free.push(place);
    },
  };
}

/** In CI a test that can't run has failed: nobody would see that it was skipped. */
const isGate = !["", "false", undefined].includes(process.env["CI"]);

const install =
  "install PostgreSQL (Debian, Ubuntu: apt-get install postgresql), " +
  "or unset CI to skip the tests that need it";

function expectServer(): void {
  test("a server can be started", () => {
    expect(whyNoPostgres, install).toBeUndefined();
  });
}

/**
 * Runs tests that have a PostgreSQL server of their own. Without the programs for one they are skipped, or,
 * where the environment variable CI is set, replaced by a test that fails.
 */
export function describeOnPostgres(body: (server: () => PostgresServer) => void | Promise<void>) {
  const withServer = async (): Promise<void> => {
    let server: PostgresServer | undefined;
    beforeAll(async () => {
      server = await startPostgres();
    }, 60_000);
    afterAll(async () => {
      await Promise.all(free.map(({ client }) => client.end()));
      await server?.stop();
    });
    await body(() => server!);
  };
  const isSkipped = whyNoPostgres !== undefined && !isGate;
  const describeHere = isSkipped ? describe.skip : describe;
  const title = isSkipped ? `on PostgreSQL (SKIPPED: ${whyNoPostgres})` : "on PostgreSQL";
  describeHere(title, whyNoPostgres !== undefined && isGate ? expectServer : withServer);
}

/** Tests of a file that is written for whatever database, once more, on PostgreSQL. */
export function repeatOnPostgres(load: () => Promise<unknown>): void {
  describeOnPostgres(async (server) => {
    workOn(async () => postgresDatabase(server()));
    await load();
  });
}
