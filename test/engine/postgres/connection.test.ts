import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import { SendctlError } from "../../../src/core/error.ts";
import { someTime, thrownBy, insertGroup } from "../support/engine-fixtures.ts";
import { connectTo, describeOnPostgres, nowhere, runSql } from "./postgres-database.ts";

async function open(url: string, runtime = nowhere): Promise<void> {
  const store = await openPostgresStore(url, runtime, () => someTime);
  try {
    await store.sliceOfGroups(1, 0, 1);
  } finally {
    await store.close();
  }
}

/** Returns the error when a database cannot be opened. Its message and hint must be one line each. */
async function failureOf(url: string, runtime = nowhere): Promise<SendctlError> {
  const error = await thrownBy(() => open(url, runtime));
  expect(error).toBeInstanceOf(SendctlError);
  const failure = error as SendctlError;
  expect(failure.kind).toBe("database");
  expect(failure.message).toMatch(/^the database [^\n]+$/);
  expect(failure.hint).toMatch(/^[^\n]+$/);
  return failure;
}

/** Creates the password file of a home, which is that of this process until the test ends. */
async function passwordFile(text: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "sendctl-home-"));
  vi.stubEnv("HOME", home);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  });
  const file = join(home, ".pgpass");
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

describeOnPostgres((server) => {
  test("a server that is down or silent is unreachable", async () => {
    const down = "postgres://anna:secret-of-anna@127.0.0.1:1/main";
    expect(await failureOf(down)).toMatchObject({
      details: { database: "unreachable" },
      message: "the database main at 127.0.0.1:1 refused the connection",
      hint: "start PostgreSQL, or check host and port",
    });
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const late = await failureOf(`postgres://anna@127.0.0.1:${port}/main?connect_timeout=1`);
    expect(late).toMatchObject({ details: { database: "unreachable" } });
    expect(late.message).toContain("timeout");
    expect((await failureOf("postgres://anna@[::1]:1/main")).message).toContain("main at [::1]:1 ");
    const socket = await failureOf("postgres:///main?host=/nowhere&user=anna");
    expect(socket.message).toContain("no such socket");
  });

  test("a server that closes the connection is unreachable", async () => {
    const closing = createServer((socket) => socket.once("data", () => socket.end()));
    closing.listen(0, "127.0.0.1");
    onTestFinished(() => void closing.close());
    await new Promise((resolve) => closing.once("listening", resolve));
    const { port } = closing.address() as { port: number };
    for (const mode of ["disable", "require"]) {
      const failure = await failureOf(`postgres://anna@127.0.0.1:${port}/main?sslmode=${mode}`);
      expect(failure).toMatchObject({ details: { database: "unreachable" } });
      expect(failure.message).toContain("cannot be reached: Connection terminated");
    }
  });

  test("a database that does not exist is missing", async () => {
    const { port, user } = server();
    const absent = await failureOf(`postgres://${user}@127.0.0.1:${port}/absent`);
    expect(absent).toMatchObject({ details: { database: "missing" } });
  });

  test("reads the password from the address, the environment or a private file", async () => {
    const { port, user, folder } = server();
    await runSql(
      server(),
      "public",
      `CREATE ROLE anna LOGIN PASSWORD 'p@ss/w:rd'`,
      "CREATE SCHEMA annas AUTHORIZATION anna",
    );
    await server().admit([`host all ${user} all trust`, "host all all all scram-sha-256"]);
    await runSql(server(), "public", "SELECT pg_reload_conf()");
    const address = (userinfo: string): string =>
      `postgres://${userinfo}@127.0.0.1:${port}/postgres?schema=annas`;
    expect(await failureOf(address("anna:wrong"))).toMatchObject({
      details: { database: "login" },
    });
    expect((await failureOf(address("anna"))).message).toContain("requires a password");
    await open(address("anna:p%40ss%2Fw%3Ard"));
    await open(address("anna"), { ...nowhere, env: { PGPASSWORD: "p@ss/w:rd" } });
    const file = await passwordFile(
      `# ours\nelsewhere:*:*:anna:no\n127.0.0.1:${port}:*:anna:p@ss/w\\:rd\n`,
    );
    await chmod(file, 0o644);
    // A file that others can read is ignored.
    const ignored = await failureOf(address("anna"));
    expect(ignored.message).toContain("requires a password");
    await chmod(file, 0o600);
    await open(address("anna"));
    vi.stubEnv("HOME", folder);
    vi.stubEnv("PGPASSFILE", file);
    await open(address("anna"));
  });

  test("finds the password for a socket under localhost in the file", async () => {
    const { port, user, folder } = server();
    await runSql(
      server(),
      "public",
      "CREATE ROLE carl LOGIN PASSWORD 'of-the-socket'",
      "CREATE SCHEMA carls AUTHORIZATION carl",
    );
    await server().admit(["local all all scram-sha-256", `host all ${user} all trust`]);
    await runSql(server(), "public", "SELECT pg_reload_conf()");
    const host = encodeURIComponent(join(folder, "data"));
    const address = `postgres:///postgres?host=${host}&port=${port}&user=carl&schema=carls`;
    expect((await failureOf(address)).message).toContain("requires a password");
    await passwordFile(`localhost:${port}:*:carl:of-the-socket\n`);
    await open(address);
  });

  test("a user without the right to create a schema has no access", async () => {
    await runSql(server(), "public", "CREATE ROLE bob LOGIN");
    const { port } = server();
    await server().admit(["local all all trust", `host all all all trust`]);
    await runSql(server(), "public", "SELECT pg_reload_conf()");
    const refused = await failureOf(`postgres://bob@127.0.0.1:${port}/postgres?schema=bobs`);
    expect(refused).toMatchObject({ details: { database: "access" } });
    // Rights on tables, which the hint for a missing right names otherwise, would not help.
    expect(refused).toHaveProperty("hint", expect.stringContaining("sendctl local key create"));
  });

  test("connects over a local socket", async () => {
    const { port, user, folder } = server();
    const host = encodeURIComponent(join(folder, "data"));
    await open(`postgres:///postgres?host=${host}&port=${port}&user=${user}&schema=socket`);
    const env = { PGHOST: join(folder, "data"), PGPORT: String(port), PGUSER: user };
    await open("postgres:///postgres?schema=socket", { ...nowhere, env });
    const other = { ...nowhere, env: { ...env, PGDATABASE: "absent" } };
    expect((await failureOf("postgres:///", other)).message).toContain("absent at /");
  });

  test("refuses a schema with tables of another program and does not change it", async () => {
    await runSql(
      server(),
      "public",
      "CREATE SCHEMA theirs",
      "CREATE TABLE theirs.contact (name text)",
      "CREATE SCHEMA others",
      "CREATE TABLE others.sendctl (what text)",
    );
    for (const schema of ["theirs", "others"]) {
      expect(await failureOf(server().url(schema))).toMatchObject({
        details: { database: "foreign" },
      });
    }
    const read = `SELECT table_name AS name FROM information_schema.tables
                  WHERE table_schema IN ('theirs', 'others') ORDER BY 1`;
    expect(await runSql(server(), "public", read)).toEqual([
      { name: "contact" },
      { name: "sendctl" },
    ]);
  });

  test("examining a database creates nothing", async () => {
    const database = { url: server().url("unmade"), shown: "unmade" };
    const found = await createPostgresMaintenance(database, nowhere, 5000).info();
    expect(found).toMatchObject({ exists: false, schema_version: null });
    const read = "SELECT 1 FROM information_schema.schemata WHERE schema_name = 'unmade'";
    expect(await runSql(server(), "public", read)).toEqual([]);
  });

  test("many processes can create one database at once", async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, () =>
        openPostgresStore(server().url("crowd"), nowhere, () => someTime),
      ),
    );
    const group = { name: "G", send_birthday: false, send_holiday: null, birthday_message: null };
    const made = await Promise.all(opened.map((store) => insertGroup(store, 1, group)));
    expect(made.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    await Promise.all(opened.map((store) => store.close()));
    expect(await runSql(server(), "public", "SELECT version FROM crowd.sendctl")).toHaveLength(1);
  });

  test("an invalid address is a usage error with a hint", async () => {
    for (const [address, says] of [
      ["postgres://anna@h/d?sslmode=prefer", /sslmode "prefer"/],
      ["postgres://anna@h/d?ssl=true", /unknown option "ssl"/],
      ["postgres://anna@h/d?pool=0", /pool "0"/],
      ["postgres://anna@h/d?schema=a%20b", /schema "a b"/],
      ["postgres://h/d", /has no user/],
      ["postgres://anna@h/d?sslmode=verify-ca", /verify-ca without an authority/],
      [
        "postgres://anna@h/d?sslrootcert=/nowhere/ca.pem",
        /\/nowhere\/ca.pem, which cannot be read/,
      ],
      ["postgres://anna@h/d?host=other", /two values for host/],
      ["postgres://anna@h/d?schema=a&schema=b", /two values for schema/],
      [
        "postgres://anna:secret@h/d?password=other",
        /^the database address has two values for password$/,
      ],
    ] as const) {
      const error = await thrownBy(() => open(address));
      expect(error).toMatchObject({
        kind: "usage",
        message: expect.stringMatching(says),
        hint: expect.any(String),
      });
    }
  });
});

describeOnPostgres((server) => {
  let certificates: string;

  function openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: certificates, stdio: "ignore" });
  }

  async function createCertificate(name: string, host: string): Promise<void> {
    const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject);
  }

  beforeAll(async () => {
    certificates = join(server().folder, "tls");
    await mkdir(certificates);
    await createCertificate("server", "localhost");
    await createCertificate("other", "localhost");
    const owner = await stat(join(server().folder, "data"));
    await chmod(join(certificates, "server.key"), 0o600);
    if (process.getuid?.() === 0) {
      await chown(join(certificates, "server.key"), owner.uid, owner.gid);
    }
    await server().configure([
      "ssl = on",
      `ssl_cert_file = '${certificates}/server.pem'`,
      `ssl_key_file = '${certificates}/server.key'`,
    ]);
    await server().crash();
    await server().start();
  });

  const at = (host: string, rest: string): string =>
    `postgres://${server().user}@${host}:${server().port}/postgres?schema=tls${rest}`;
  const isEncrypted = async (url: string): Promise<boolean> => {
    await open(url);
    const client = await connectTo(server());
    const store = await openPostgresStore(url, nowhere, () => someTime);
    const { rows } = await client.query(
      `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE application_name = 'sendctl'`,
    );
    await store.close();
    await client.end();
    return (rows[0] as { ssl: boolean }).ssl;
  };

  test("sslmode=require encrypts, and disable does not", async () => {
    expect(await isEncrypted(at("127.0.0.1", "&sslmode=require"))).toBe(true);
    expect(await isEncrypted(at("127.0.0.1", "&sslmode=disable"))).toBe(false);
    expect(await isEncrypted(at("127.0.0.1", ""))).toBe(false);
  });

  test("verify-full accepts only a certificate of its authority for its host", async () => {
    const root = `&sslrootcert=${certificates}/server.pem`;
    expect(await isEncrypted(at("localhost", `&sslmode=verify-full${root}`))).toBe(true);
    expect(await isEncrypted(at("127.0.0.1", `&sslmode=verify-ca${root}`))).toBe(true);
    const wrongHost = await failureOf(at("127.0.0.1", `&sslmode=verify-full${root}`));
    expect(wrongHost).toMatchObject({ details: { database: "login" } });
    expect(wrongHost.message).toContain("for another host");
    for (const rest of [
      "&sslmode=verify-full",
      `&sslmode=verify-full&sslrootcert=${certificates}/other.pem`,
      `&sslmode=require&sslrootcert=${certificates}/other.pem`,
    ]) {
      const untrusted = await failureOf(at("localhost", rest));
      expect(untrusted).toMatchObject({ details: { database: "login" } });
      expect(untrusted.message).toContain("untrusted authority");
    }
  });

  test("sslmode=require refuses a server without TLS", async () => {
    await server().configure(["ssl = off"]);
    await server().crash();
    await server().start();
    const refused = await failureOf(at("127.0.0.1", "&sslmode=require"));
    expect(refused).toMatchObject({ details: { database: "unreachable" } });
    expect(refused.message).toContain("does not support SSL");
  });
});
