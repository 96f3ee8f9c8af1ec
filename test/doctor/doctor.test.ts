import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { diagnose, key, stateOf } from "./doctor-case.ts";
import { runAtTerminal, test, type Home } from "../support/home.ts";
import { connect } from "../../src/engine/sqlite/connection/connect.ts";

const inEmbeddedMode = [
  "node",
  "addon",
  "config",
  "profile",
  "key",
  "database",
  "schema",
  "integrity",
  "permissions",
  "proxy",
  "base URL",
  "clock",
];

async function withDatabase(home: Home): Promise<void> {
  await home.run(["group", "create", "Friends"]);
}

/** Puts a config file where the program looks for it. */
async function configure(home: Home, text: string, mode = 0o600): Promise<string> {
  const file = join(home.folder, ".config", "sendctl", "config.json");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode });
  return file;
}

describe("the machine and the database", () => {
  test("a healthy one", async ({ home, expect }) => {
    await withDatabase(home);
    const { exitCode, stderr, checks, troubles } = await diagnose(home);
    expect({ exitCode, stderr, troubles }).toStrictEqual({
      exitCode: 0,
      stderr: "All is well\n",
      troubles: [],
    });
    expect(checks.map(({ name }) => name)).toStrictEqual(inEmbeddedMode);
  });

  test("none yet, and none afterwards", async ({ home, expect }) => {
    const { exitCode, troubles, check } = await diagnose(home);
    expect({ exitCode, troubles }).toStrictEqual({ exitCode: 0, troubles: [] });
    expect(check("database")?.detail).toBe(
      `${home.database} is not there yet: it is made at first use`,
    );
    expect(await readdir(home.folder)).toStrictEqual([]);
  });

  test("one that can't be made", async ({ home, expect }) => {
    await writeFile(join(home.folder, "file"), "");
    const { exitCode, troubles } = await diagnose(home, ["--database", "file/sendctl.db"]);
    expect({ exitCode, troubles }).toStrictEqual({ exitCode: 11, troubles: ["database: fault"] });
  });

  test("a damaged one", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    bytes.fill(0xff, 4096 * 3, 4096 * 6);
    await writeFile(home.database, bytes);
    const { exitCode, stderr, check, checks } = await diagnose(home);
    expect(exitCode).toBe(11);
    expect(stderr).toMatch(/^sendctl: 1 fault\n$/);
    expect(check("integrity")).toMatchObject({
      status: "fault",
      fix: expect.stringContaining("restore it from a backup") as unknown,
    });
    expect(checks.map(({ name }) => name)).toStrictEqual(inEmbeddedMode);
  });

  test("one that is cut short", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    await writeFile(home.database, bytes.subarray(0, bytes.length - 5000));
    expect(await diagnose(home)).toMatchObject({ exitCode: 11 });
  });

  test("a file that is none", async ({ home, expect }) => {
    await writeFile(join(home.folder, "notes.txt"), "Not a database at all. ".repeat(99));
    const { exitCode, check } = await diagnose(home, ["--database", "notes.txt"]);
    expect(exitCode).toBe(11);
    expect(check("schema")?.detail).toContain("is not a database");
  });

  test("one that is marked read-only", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o400);
    const { exitCode, troubles, check } = await diagnose(home);
    expect({ exitCode, troubles }).toStrictEqual({ exitCode: 11, troubles: ["database: fault"] });
    expect(check("database")?.detail).toContain("is read-only");
  });

  test("a folder", async ({ home, expect }) => {
    await mkdir(join(home.folder, "folder"));
    expect(await diagnose(home, ["--database", "folder"])).toMatchObject({ exitCode: 11 });
  });

  test("an empty file becomes one", async ({ home, expect }) => {
    await writeFile(join(home.folder, "empty.db"), "", { mode: 0o600 });
    const { exitCode, check } = await diagnose(home, ["--database", "empty.db"]);
    expect(exitCode).toBe(0);
    expect(check("schema")?.detail).toContain("the next command updates it");
  });

  test.for([
    ["user_version = 99", /newer sendctl/],
    ["application_id = 7", /belongs to another program/],
  ] as const)("one with %s", async ([change, says], { home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    database.pragma(change);
    database.close();
    const { exitCode, troubles, check } = await diagnose(home);
    expect({ exitCode, troubles }).toStrictEqual({ exitCode: 11, troubles: ["schema: fault"] });
    expect(check("schema")?.detail).toMatch(says);
  });

  test("a row that refers to nothing", async ({ home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    database.pragma("foreign_keys = OFF");
    database.exec("INSERT INTO contact (group_id, phone) VALUES (999, '1')");
    database.close();
    const { exitCode, check } = await diagnose(home);
    expect(exitCode).toBe(11);
    expect(check("integrity")?.detail).toContain(
      "row 1 of contact refers to a missing row of contact_group",
    );
  });

  test("one that others may read, and the fix repairs it", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o644);
    await chmod(dirname(home.database), 0o755);
    const { exitCode, troubles, check } = await diagnose(home);
    expect({ exitCode, troubles }).toStrictEqual({
      exitCode: 0,
      troubles: ["permissions: warning"],
    });
    const mended = await home.shell(check("permissions")!.fix!);
    expect(mended.exitCode).toBe(0);
    expect((await diagnose(home)).troubles).toStrictEqual([]);
  });

  // Where others cannot replace each other's files, as in /tmp, they may make their own.
  for (const mode of [0o755, 0o1777]) {
    test(`a folder that is not sendctl's own may be shared: ${mode.toString(8)}`, async ({
      home,
      expect,
    }) => {
      const shared = join(home.folder, "shared");
      await mkdir(shared);
      await chmod(shared, mode);
      const args = ["--database", join(shared, "my.db")];
      await home.run(["group", "create", "Friends", ...args]);
      const { troubles, check } = await diagnose(home, args);
      expect({ troubles, status: check("permissions")?.status }).toStrictEqual({
        troubles: [],
        status: "ok",
      });
    });
  }

  test("one that somebody is writing to", async ({ home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    try {
      database.exec("BEGIN IMMEDIATE; UPDATE integration SET name = 'other'");
      const { exitCode, troubles } = await diagnose(home);
      expect({ exitCode, troubles }).toStrictEqual({ exitCode: 0, troubles: [] });
      database.exec("COMMIT");
      // What is in the write-ahead log alone is looked at, too.
      database.pragma("user_version = 99");
      expect((await diagnose(home)).troubles).toStrictEqual(["schema: fault"]);
    } finally {
      database.close();
    }
  });

  test("one that was left in the middle of something is left to the next command", async ({
    home,
    expect,
  }) => {
    await withDatabase(home);
    const database = connect(home.database);
    database.exec("UPDATE integration SET name = 'other'");
    const copy = join(home.folder, "copy.db");
    await writeFile(copy, await readFile(home.database), { mode: 0o600 });
    await writeFile(`${copy}-wal`, await readFile(`${home.database}-wal`), { mode: 0o600 });
    database.close();
    const { exitCode, troubles } = await diagnose(home, ["--database", copy]);
    expect({ exitCode, troubles }).toStrictEqual({ exitCode: 0, troubles: ["integrity: warning"] });
  });

  test("a key that the database did not issue, and one that it did", async ({ home, expect }) => {
    const wrong = await diagnose(home, [], { SENDCTL_SECRET_KEY: key });
    expect(wrong).toMatchObject({ exitCode: 3, troubles: ["key accepted: fault"] });
    const { stdout } = await home.run(["local", "key", "create", "--json"]);
    const { data } = JSON.parse(stdout) as { data: { secret_key: string } };
    const right = await diagnose(home, [], { SENDCTL_SECRET_KEY: data.secret_key });
    expect(right).toMatchObject({ exitCode: 0, troubles: [] });
    expect(right.stdout).not.toContain(data.secret_key);
    expect(right.check("key")?.detail).toBe(
      `from SENDCTL_SECRET_KEY, ends in ${data.secret_key.slice(-4)}`,
    );
    const other = await diagnose(home, [], { SENDCTL_SECRET_KEY: key });
    expect(other).toMatchObject({ exitCode: 3, troubles: ["key accepted: fault"] });
  });

  test("a short key is not shown, not even its end", async ({ home, expect }) => {
    const { check } = await diagnose(home, [], { SENDCTL_SECRET_KEY: "sk_12345" });
    expect(check("key")?.detail).toBe("from SENDCTL_SECRET_KEY");
  });
});

describe("the configuration", () => {
  const whole = JSON.stringify({
    current: "prod",
    profiles: {
      prod: { baseUrl: "https://prod.invalid", secretKey: key },
      here: { mode: "local" },
    },
  });

  test.for([
    ["cut short", whole.slice(0, 80)],
    ["empty", ""],
    ["of another shape", `{"profiles": {"prod": {"secretKey": ["${key}"]}}}`],
  ])(
    "a config file that is %s is named, and hides nothing else",
    async ([, text], { home, expect }) => {
      const file = await configure(home, text!);
      const { exitCode, check, checks, troubles } = await diagnose(home);
      expect({ exitCode, troubles }).toStrictEqual({ exitCode: 2, troubles: ["config: fault"] });
      expect(check("config")?.detail).toContain(file);
      expect(checks.length).toBeGreaterThan(8);
    },
  );

  test("a profile, and where it comes from", async ({ home, expect }) => {
    await configure(home, whole);
    const here = await diagnose(home, [], { SENDCTL_PROFILE: "here" });
    expect(here).toMatchObject({ exitCode: 0, troubles: [] });
    expect(here.check("profile")?.detail).toBe("here, chosen by SENDCTL_PROFILE");
    const prod = await diagnose(home, ["--timeout", "2s"]);
    expect(prod.exitCode).toBe(8);
    expect(prod.check("profile")?.detail).toBe("prod, chosen by the config file");
    expect(prod.check("key")?.detail).toBe(`from the profile, ends in ${key.slice(-4)}`);
  });

  test("a profile that is not there", async ({ home, expect }) => {
    await configure(home, whole);
    const { exitCode, check } = await diagnose(home, ["--profile", "nobody"]);
    expect(exitCode).toBe(2);
    expect(check("settings")?.detail).toContain('unknown profile "nobody"');
  });

  test("a config file that others may read", async ({ home, expect }) => {
    const file = await configure(home, whole);
    await chmod(file, 0o640);
    const { exitCode, check } = await diagnose(home, ["--local"]);
    expect(exitCode).toBe(0);
    expect(check("config")).toMatchObject({ status: "warning", fix: `chmod 600 ${file}` });
  });

  test("variables that make no sense are told, each, and hide nothing", async ({
    home,
    expect,
  }) => {
    const env = { SENDCTL_TIMEOUT: "soon", SENDCTL_RETRIES: "many", SENDCTL_OUTPUT: "xml" };
    const ran = await home.run(["doctor"], env);
    expect(ran.exitCode).toBe(2);
    for (const variable of Object.keys(env)) expect(ran.stdout).toContain(variable);
    expect(ran.stdout).toMatch(/^ok +database /m);
    expect(ran.stderr).toBe("sendctl: 3 faults\n");
  });

  test("a flag that makes no sense is a mistake, as with any command", async ({ home, expect }) => {
    const ran = await home.run(["doctor", "--timeout", "soon"]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^sendctl: [^\n]+ --timeout\nhint: [^\n]+\n$/);
  });
});

describe("how it is shown", () => {
  test("plain, where there is no terminal", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o604);
    const { exitCode, stdout, stderr } = await home.run(["doctor"]);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "1 warning\n" });
    expect(stdout).toMatch(/^ok {7}node {9}\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^warning {2}permissions {2}open to others: .+\n {22}fix: chmod 600 /m);
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\u001b✓]/);
  });

  test("with marks, words and colours, and fitted, at a terminal", async ({ home, expect }) => {
    await writeFile(join(home.folder, "notes.txt"), "Not a database at all. ".repeat(99));
    const args = ["doctor", "--database", "notes.txt"];
    const ran = await runAtTerminal(home, args, { columns: 60 });
    expect(ran.exitCode).toBe(11);
    expect(ran.stdout).toContain("\u001b[32m✓ ok     \u001b[39m");
    expect(ran.stdout).toContain("\u001b[31m✗ fault  \u001b[39m");
    const plain = await runAtTerminal(home, args, { columns: 60, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
    expect(plain.stdout).toContain("✗ fault");
    for (const line of plain.stdout.split("\n").filter((line) => !line.includes(home.folder))) {
      expect(line.length).toBeLessThanOrEqual(60);
    }
  });

  test("jsonl, csv and id have a line a check", async ({ home, expect }) => {
    const count = inEmbeddedMode.length - 3;
    const [jsonl, csv, id] = await Promise.all(
      ["jsonl", "csv", "id"].map((format) => home.run(["doctor", "-q", "-o", format])),
    );
    expect(
      jsonl!.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toHaveLength(count);
    expect(csv!.stdout.split("\r\n")[0]).toBe("name,status,detail,fix");
    expect(id!.stdout.split("\n").slice(0, 2)).toStrictEqual(["node", "addon"]);
    expect(jsonl!.stderr + csv!.stderr + id!.stderr).toBe("");
  });

  test("a dry run shows the one request that there would be", async ({ home, expect }) => {
    const before = await stateOf(home.folder);
    const base = ["--base-url", "https://sms.example.com"];
    const ran = await home.run(["doctor", "--dry-run", ...base], { SENDCTL_SECRET_KEY: key });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toContain("/sender-id?perPage=1'");
    expect((await home.run(["doctor", "--dry-run"])).exitCode).toBe(2);
    expect(await stateOf(home.folder)).toStrictEqual(before);
  });

  test("it takes no argument", async ({ home, expect }) => {
    expect(await home.run(["doctor", "now"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
