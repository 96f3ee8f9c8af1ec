import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Client, types } from "pg";
import { beforeAll, onTestFinished } from "vitest";
import type { ConnectionRuntime } from "../../../src/engine/postgres/address.ts";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { describeWhereInstalled } from "../../support/describe-where-installed.ts";
import { workOn, type TestDatabase } from "../support/test-database.ts";
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
} from "../../support/postgres-server.mjs";

/** Reads 64-bit integers as numbers, as the program does. */
types.setTypeParser(20, Number);

/** The runtime of a store that finds nothing beside its address. */
export const nowhere: ConnectionRuntime = { env: {} };

/** Opens a store, which is closed at the end of the test. */
export async function openStore(url: string, now: () => number): Promise<Store> {
  const store = await openPostgresStore(url, nowhere, now);
  onTestFinished(() => store.close());
  return store;
}

/** Connects to a server as its superuser. @param schema where names without a schema are looked up */
export async function connectTo(
  { port, user }: PostgresServer,
  schema = "public",
): Promise<Client> {
  const options = `-c search_path=${schema}`;
  const client = new Client({ host: "127.0.0.1", port, user, database: "postgres", options });
  await client.connect();
  return client;
}

/** Runs statements as the superuser. Returns the rows of the last one. */
export async function runSql(
  server: PostgresServer,
  schema: string,
  ...texts: string[]
): Promise<unknown[]> {
  const client = await connectTo(server, schema);
  try {
    let rows: unknown[] = [];
    for (const text of texts) ({ rows } = await client.query(text));
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Starts a relay to a server, which ends with the test.
 *
 * @param forward gets both ends of each connection, and passes on what the client sends
 * @returns its port, and the sockets of all connections
 */
export async function startRelay(
  { port }: PostgresServer,
  forward: (client: Socket, server: Socket) => void,
) {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    server.on("close", () => client.end());
    forward(client, server);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  return { port: (relay.address() as AddressInfo).port, sockets };
}

/** A schema with empty tables, and a connection to it. */
interface TestSchema {
  readonly schema: string;
  readonly client: Client;
}

/** Schemas to reuse, because emptying one is faster than creating one. */
const free: TestSchema[] = [];

const empty = `
  DELETE FROM contact_group; DELETE FROM integration;
  INSERT INTO integration (id, name, created_at) VALUES (1, 'default', 0);
  ALTER TABLE integration ALTER COLUMN id RESTART WITH 2;
  ALTER TABLE secret_key ALTER COLUMN id RESTART WITH 1;
  ALTER TABLE sender_id ALTER COLUMN id RESTART WITH 1;
  ALTER TABLE contact_group ALTER COLUMN id RESTART WITH 1`;

async function createSchema(server: PostgresServer): Promise<TestSchema> {
  const schema = `t${randomBytes(8).toString("hex")}`;
  const store = await openPostgresStore(server.url(schema), nowhere, () => 0);
  await store.close();
  const client = await connectTo(server, schema);
  // A property run that exceeded its time limit may outlive its server.
  client.on("error", () => {});
  return { schema, client };
}

/** Returns a test database in a separate schema. */
async function postgresDatabase(server: PostgresServer): Promise<TestDatabase> {
  const own = free.pop() ?? (await createSchema(server));
  const rows = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    (await own.client.query(sql, values)).rows as Row[];
  return {
    open: (now) => openPostgresStore(server.url(own.schema), nowhere, now),
    rows,
    addIntegration: async (name) => {
      const [added] = await rows<{ id: number }>(
        "INSERT INTO integration (name, created_at) VALUES ($1, 0) RETURNING id",
        [name],
      );
      return added!.id;
    },
    addContact: async (group, phone) => {
      await rows(
        `WITH added AS (
           INSERT INTO contact (integration_id, group_id, phone)
           SELECT coalesce((SELECT integration_id FROM contact_group WHERE id = $1), 1), $1, $2
           RETURNING group_id)
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
      await own.client.query(empty);
      free.push(own);
    },
  };
}

/** The server of all files that this worker runs. */
let shared: Promise<PostgresServer> | undefined;

/**
 * Runs tests on a PostgreSQL server. Without PostgreSQL's programs they are skipped, or replaced by a failing test if
 * the environment variable CI is set.
 */
export function describeOnPostgres(body: (server: () => PostgresServer) => void | Promise<void>) {
  const withServer = async (): Promise<void> => {
    let server: PostgresServer | undefined;
    beforeAll(async () => {
      server = await (shared ??= startPostgres());
    }, 60_000);
    await body(() => server!);
  };
  const program = { name: "PostgreSQL", whyMissing: whyNoPostgres, debianPackage: "postgresql" };
  describeWhereInstalled(program, "on PostgreSQL", withServer);
}

/** Repeats tests that are independent of the database on PostgreSQL. */
export function repeatOnPostgres(load: () => Promise<unknown>): void {
  describeOnPostgres(async (server) => {
    workOn(async () => postgresDatabase(server()));
    await load();
  });
}
