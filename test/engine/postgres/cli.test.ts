import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeHome, type Home, type Outcome } from "../../support/home.ts";
import { describeOnPostgres, runSql } from "./postgres-database.ts";
import type { PostgresServer } from "../../support/postgres-server.mjs";

async function newHome(): Promise<Home> {
  const home = await makeHome();
  onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
  return home;
}

/** Runs commands with a database address whose password must never appear in the output. */
async function userOf(url: string) {
  const home = await newHome();
  const password = "p4ss/w0rd-never-shown";
  const address = url.replace("@", `:${encodeURIComponent(password)}@`);
  const env = { SENDCTL_DATABASE: address };
  const run = async (...args: string[]): Promise<Outcome> => {
    const outcome = await home.run(args, env);
    for (const text of [outcome.stdout, outcome.stderr]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(encodeURIComponent(password));
    }
    return outcome;
  };
  const done = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([args, exitCode, stderr]).toEqual([args, 0, stderr]);
    return stdout;
  };
  const data = async (...args: string[]): Promise<Record<string, unknown>> =>
    (JSON.parse(await done(...args, "--json")) as { data: Record<string, unknown> }).data;
  return { home, env, run, done, data };
}

let schemas = 0;
const newSchema = (server: PostgresServer): string => server.url(`cli${(schemas += 1)}`);

describeOnPostgres((server) => {
  test("reads create nothing, also as a role that may not create anything", async () => {
    await runSql(server(), "public", "CREATE ROLE reader LOGIN", "CREATE SCHEMA empty");
    await runSql(server(), "public", "GRANT USAGE ON SCHEMA empty TO reader");
    const { port } = server();
    const asReader = `postgres://reader@127.0.0.1:${port}/postgres?schema=empty`;
    for (const url of [newSchema(server()), asReader]) {
      const { run, data } = await userOf(url);
      const before = await runSql(server(), "public", "SELECT 1 FROM pg_class");
      for (const line of [
        "group list -o id",
        "--read-only group list --all -o id",
        "export -o json",
        "local birthdays -o jsonl",
        "local key list -o id",
        "local integration list -o jsonl",
        "--read-only diff -f -",
      ])
        expect((await run(...line.split(" "))).stderr, line).not.toContain("denied");
      expect(await run("group", "fetch", "1")).toMatchObject({ exitCode: 4 });
      expect(await run("sender-id", "delete", "ACME", "--yes")).toMatchObject({ exitCode: 4 });
      expect(await data("local", "info")).toMatchObject({ exists: false });
      expect(await runSql(server(), "public", "SELECT 1 FROM pg_class")).toHaveLength(
        before.length,
      );
    }
    const denied = await (await userOf(asReader)).run("group", "create", "Friends");
    expect(denied).toMatchObject({ exitCode: 11 });
    expect(denied.stderr).toContain("denied permission to create");
  });

  test("every local command works, or names the PostgreSQL program to use instead", async () => {
    const { home, run, done, data } = await userOf(newSchema(server()));
    expect(await data("local", "info")).toMatchObject({ exists: false, schema_version: null });
    expect(await data("group", "create", "Friends", "--send-birthday")).toMatchObject({ id: 1 });
    await done("sender-id", "create", "ACME", "--purpose", "Alerts");
    await done("local", "review", "ACME", "--status", "APPROVED");
    await done("group", "update", "1", "--sender-id", "ACME");
    await writeFile(
      join(home.folder, "contacts.csv"),
      "phone,first_name,birth_date\n+447911123401,Ada,1990-02-28\n",
    );
    expect(
      await data("local", "contact", "import", "1", join(home.folder, "contacts.csv")),
    ).toMatchObject({
      added: 1,
    });
    expect(await done("local", "contact", "list", "1", "-o", "csv")).toContain("+447911123401,Ada");
    expect(await done("local", "birthdays", "--on", "2026-02-28", "-o", "jsonl")).toContain("ACME");
    await done("local", "integration", "create", "staging");
    expect(await data("local", "key", "create", "--integration", "staging")).toMatchObject({
      integration: "staging",
    });
    await done("local", "integration", "delete", "staging", "--yes");
    await done("local", "seed", "--groups", "10", "--contacts", "50", "--sender-ids", "3");
    expect(await data("local", "info")).toMatchObject({
      exists: true,
      groups: 11,
      contacts: 51,
      sender_ids: 4,
      integrations: 1,
      postgres_version: expect.stringMatching(/^\d/),
    });
    expect(await done("doctor")).toMatch(/database +postgres:.*PostgreSQL \d/);
    expect(await done("profile", "show")).toContain("postgres://");
    await done("local", "log");
    for (const words of ["check", "backup some.db", "restore some.db"]) {
      const { exitCode, stderr } = await run("local", ...words.split(" "), "--debug");
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/pg_dump and pg_restore/)]);
    }
    await done("local", "reset", "--yes");
    expect(await data("group", "create", "Again")).toMatchObject({ id: 1 });
  });

  test("info counts the bytes of partitions", async () => {
    const url = newSchema(server());
    const { done, data } = await userOf(url);
    await done("group", "create", "Friends");
    const before = (await data("local", "info"))["bytes"] as number;
    await done("local", "seed", "--groups", "1", "--contacts", "2000", "--sender-ids", "0");
    const whole = (await data("local", "info"))["bytes"] as number;
    expect(whole).toBeGreaterThan(before + 100_000);
    const schema = new URL(url).searchParams.get("schema")!;
    const owner = `(SELECT tableowner FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'integration')`;
    await runSql(
      server(),
      schema,
      "ALTER TABLE contact RENAME TO plain_contact",
      "CREATE TABLE contact (LIKE plain_contact INCLUDING DEFAULTS) PARTITION BY HASH (integration_id)",
      ...[0, 1].map(
        (rest) =>
          `CREATE TABLE contact_${rest} PARTITION OF contact FOR VALUES WITH (MODULUS 2, REMAINDER ${rest})`,
      ),
      "INSERT INTO contact SELECT * FROM plain_contact",
      `DO $$ BEGIN EXECUTE format('ALTER TABLE contact OWNER TO %I', ${owner}); END $$`,
    );
    const { bytes, contacts } = await data("local", "info");
    expect(contacts).toBe(2000);
    expect(bytes).toBeGreaterThan(before + 100_000);
  });

  test("doctor finds no key in a database without tables", async () => {
    const { home, env } = await userOf(newSchema(server()));
    const key = { ...env, SENDCTL_SECRET_KEY: "sk_that_nobody_has_issued" };
    const ran = await home.run(["doctor", "--json"], key);
    expect([ran.exitCode, ran.stdout]).toEqual([3, expect.stringContaining("not issued by this")]);
  });

  test("exits with 11 and one line if the database is down", async () => {
    const { run } = await userOf("postgres://anna@127.0.0.1:1/main");
    for (const args of [
      ["group", "list"],
      ["serve", "--port", "0"],
      ["local", "info"],
      ["local", "reset", "--yes"],
      ["local", "copy", "--to", "x.db"],
      ["doctor"],
    ]) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect([args, exitCode]).toEqual([args, 11]);
      expect(stderr).toMatch(/^sendctl: [^\n]+\n(?:hint: [^\n]+\n)?$/);
      expect(stderr + stdout).toContain("main at 127.0.0.1:1 ");
    }
  });

  test("an invalid address is never printed with its password", async () => {
    for (const url of [
      "mysql://anna@127.0.0.1/main",
      "postgres://anna@127.0.0.1:1/main?sslmode=maybe",
      "postgres://anna@127.0.0.1:port/main",
    ]) {
      const { run } = await userOf(url);
      for (const args of [["group", "list", "--debug"], ["doctor"], ["profile", "show"]]) {
        const { exitCode } = await run(...args);
        expect([0, 2]).toContain(exitCode);
      }
    }
  });

  test("copies to PostgreSQL and back equal the original, and ids continue", async () => {
    const home = await newHome();
    const run = async (...args: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await home.run(args);
      expect([args, exitCode, stderr]).toEqual([args, 0, stderr]);
      return stdout;
    };
    await run("local", "seed", "--sender-ids", "20", "--groups", "300", "--contacts", "7000");
    await run("local", "integration", "create", "staging");
    const key = JSON.parse(
      await run("local", "key", "create", "--integration", "staging", "--json"),
    ) as { data: { secret_key: string } };
    await run("group", "delete", "300", "--yes");
    await writeFile(join(home.folder, "one.csv"), "phone\n+447911123401\n");
    const targets: string[][] = [
      [],
      ["--database", newSchema(server())],
      ["--database", newSchema(server())],
      ["--database", join(home.folder, "back.db")],
    ];
    for (const [index, target] of targets.entries()) {
      const next = targets[index + 1];
      if (next === undefined) break;
      const report = JSON.parse(
        await run("local", "copy", "--to", next[1]!, ...target, "--json"),
      ) as object;
      expect(report).toMatchObject({
        message: "Database copied",
        data: { integrations: 2, keys: 1, sender_ids: 20, groups: 299 },
      });
    }
    const lists = [
      "sender-id list --all --json",
      "group list --all --json",
      "local integration list --json",
      "local key list --json",
      "local contact list 5 --all -o csv",
    ];
    const everything = (target: string[]): Promise<string[]> =>
      Promise.all(lists.map((list) => run(...list.split(" "), ...target)));
    const [original, ...copies] = await Promise.all(targets.map(everything));
    for (const copy of copies) expect(copy).toEqual(original);
    // Ruling 21: the ids of deleted records are not reused.
    for (const target of targets) {
      const created = JSON.parse(
        await run("group", "create", "Next", "--json", ...target),
      ) as object;
      expect(created).toMatchObject({ data: { id: 301 } });
      const env = { SENDCTL_SECRET_KEY: key.data.secret_key };
      const listed = await home.run(["group", "list", "--json", ...target], env);
      expect(JSON.parse(listed.stdout)).toMatchObject({ data: { total: 0 } });
    }
  });

  test("refuses to copy to a database with records, and a failed copy leaves nothing", async () => {
    const url = newSchema(server());
    const { home, done, run } = await userOf(url);
    await done("group", "create", "Friends");
    await home.run(["group", "create", "Own"]);
    const onto = await home.run(["local", "copy", "--to", url]);
    expect([onto.exitCode, onto.stderr]).toEqual([
      2,
      expect.stringContaining("already contains records"),
    ]);
    expect(await done("group", "list", "-o", "jsonl")).toContain("Friends");
    const itself = await run("local", "copy", "--to", url);
    expect(itself.exitCode).toBe(2);
    const absent = await home.run(["local", "copy", "--to", "x.db", "--database", "absent.db"]);
    expect([absent.exitCode, absent.stderr]).toEqual([2, expect.stringContaining("absent.db")]);
    const listing = await home.shell("ls");
    expect(listing.stdout).not.toMatch(/absent|x\.db/);
    const missing = await home.run(["local", "copy"]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining("--to")]);
  });
});
