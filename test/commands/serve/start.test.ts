import { beforeAll, describe } from "vitest";
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
} from "../../support/postgres-server.mjs";
import { test } from "../../support/serving.ts";

const serveArgs = ["serve", "--port", "0", "--json"];

test("five servers on an empty database create one first key", async ({ home, serve, expect }) => {
  const servers = await Promise.all(Array.from({ length: 5 }, () => serve()));
  expect(servers.filter(({ key }) => key !== undefined)).toHaveLength(1);
  const { stdout } = await home.run(["local", "key", "list", "-o", "id"]);
  expect(stdout).toBe("1\n");
});

describe.skipIf(whyNoPostgres !== undefined)("on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    return () => server.stop();
  });

  test("five servers on an empty database create one first key", async ({ serve, expect }) => {
    const args = ["--port", "0", "--database", server.url("first")];
    const servers = await Promise.all(Array.from({ length: 5 }, () => serve(args)));
    expect(servers.filter(({ key }) => key !== undefined)).toHaveLength(1);
  });

  test("a wrong password or database ends serve", async ({ home, expect }) => {
    const { port, user } = server;
    const refused = (database: string) => home.run([...serveArgs, "--database", database]);
    const absent = await refused(`postgres://${user}@127.0.0.1:${port}/absent`);
    expect(absent).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining("absent at 127.0.0.1"),
    });
    await server.admit(["host all all all scram-sha-256"]);
    await server.crash();
    await server.start();
    const wrong = await refused(`postgres://${user}:wrong@127.0.0.1:${port}/postgres`);
    expect(wrong).toMatchObject({ exitCode: 11, stderr: expect.stringContaining("password") });
  });
});
