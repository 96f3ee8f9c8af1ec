import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { diagnose, key, stateOf } from "./doctor-case.ts";
import { configOf, writeConfig } from "../support/config-file.ts";
import { keyOf, runAtTerminal, test, type Home } from "../support/home.ts";
import { connect } from "../../src/engine/sqlite/database-file.ts";

const checked = "node, addon, config, profile, key, database, schema, integrity, permissions";
const inEmbeddedMode = checked.split(", ");

async function withDatabase(home: Home): Promise<void> {
  await home.run(["group", "create", "Friends"]);
}

/** Writes the config file, for its owner only. */
async function configure(home: Home, text: string): Promise<string> {
  const file = configOf(home);
  await writeConfig(home, text);
  await chmod(dirname(file), 0o700);
  await chmod(file, 0o600);
  return file;
}

describe("checks of the machine and the database", () => {
  test("a healthy database passes", async ({ home, expect }) => {
    await withDatabase(home);
    const { exitCode, stderr, check, checks, notOk } = await diagnose(home);
    expect({ exitCode, stderr, notOk }).toStrictEqual({
      exitCode: 0,
      stderr: "No problems found\n",
      notOk: [],
    });
    const kib = Math.round((await stat(home.database)).size / 1024);
    expect(check("database")?.detail).toBe(`${home.database}, ${kib} KiB`);
    expect(checks.map(({ name }) => name)).toStrictEqual(inEmbeddedMode);
    const { stdout } = await runAtTerminal(home, ["doctor"], { env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/^✓ ok +integrity/m);
  });

  test("a missing database is ok and is not created", async ({ home, expect }) => {
    const { exitCode, notOk, check } = await diagnose(home);
    expect({ exitCode, notOk }).toStrictEqual({ exitCode: 0, notOk: [] });
    expect(check("database")?.detail).toBe(
      `${home.database} does not exist yet; it is created at first use`,
    );
    expect(await readdir(home.folder)).toStrictEqual([]);
  });

  test("damaged pages are an error of the database", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    bytes.fill(0xff, 4096 * 3, 4096 * 6);
    await writeFile(home.database, bytes);
    const { exitCode, stderr, check, checks } = await diagnose(home);
    expect(exitCode).toBe(11);
    expect(stderr).toMatch(/^sendctl: 1 error\n$/);
    expect(check("database")).toMatchObject({
      status: "error",
      fix: expect.stringContaining("restore it from a backup") as unknown,
    });
    expect(checks.map(({ name }) => name)).toContain("permissions");
  });

  test("a truncated database, and a folder in its place, are errors", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    await writeFile(home.database, bytes.subarray(0, bytes.length - 5000));
    expect(await diagnose(home)).toMatchObject({ exitCode: 11 });
    await mkdir(join(home.folder, "folder"));
    expect(await diagnose(home, ["--database", "folder"])).toMatchObject({ exitCode: 11 });
  });

  test("a read-only database is an error", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o400);
    const found = await diagnose(home);
    expect(found).toMatchObject({ exitCode: 11, notOk: ["database: error"] });
    expect(found.check("database")?.detail).toContain("is read-only");
  });

  test.for([
    ["text", "given/sendctl.db", 11, ["database: error"], "database", "is not a folder"],
    ["text", "given", 11, ["database: error"], "database", "is not a database"],
    ["", "given", 0, [], "schema", "the next command updates it"],
  ] as const)(
    "with the file `given` of '%s', the database %s is reported with exit code %i",
    async ([text, database, exitCode, notOk, name, says], { home, expect }) => {
      await writeFile(join(home.folder, "given"), text.repeat(600), { mode: 0o600 });
      const found = await diagnose(home, ["--database", database]);
      expect(found).toMatchObject({ exitCode, notOk });
      expect(found.check(name)?.detail).toContain(says);
    },
  );

  test.for([
    ["PRAGMA user_version = 99", "database", "newer sendctl"],
    ["PRAGMA application_id = 7", "database", "belongs to another program"],
    [
      "INSERT INTO contact (group_id, phone) VALUES (999, '1')",
      "integrity",
      "row 1 of contact refers to a missing row of contact_group",
    ],
  ] as const)("%s makes an error", async ([sql, name, says], { home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    database.pragma("foreign_keys = OFF");
    database.exec(sql);
    database.close();
    const found = await diagnose(home);
    expect(found).toMatchObject({ exitCode: 11, notOk: [`${name}: error`] });
    expect(found.check(name)?.detail).toContain(says);
  });

  test("a database that others can read is a warning, and its fix works", async ({
    home,
    expect,
  }) => {
    await withDatabase(home);
    await chmod(home.database, 0o644);
    const { exitCode, notOk, check } = await diagnose(home);
    expect({ exitCode, notOk }).toStrictEqual({
      exitCode: 0,
      notOk: ["permissions: warning"],
    });
    const fixed = await home.shell(check("permissions")!.fix!);
    expect(fixed.exitCode).toBe(0);
    expect((await diagnose(home)).notOk).toStrictEqual([]);
  });

  test("checks a database while another process writes", async ({ home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    try {
      database.exec("BEGIN IMMEDIATE; UPDATE integration SET name = 'other'");
      const { exitCode, notOk } = await diagnose(home);
      expect({ exitCode, notOk }).toStrictEqual({ exitCode: 0, notOk: [] });
      database.exec("COMMIT");
      // The write-ahead log is checked, too.
      database.pragma("user_version = 99");
      expect((await diagnose(home)).notOk).toStrictEqual(["database: error"]);
    } finally {
      database.close();
    }
  });

  test("only a key that the database issued is accepted", async ({ home, expect }) => {
    const wrong = await diagnose(home, [], { SENDCTL_SECRET_KEY: key });
    expect(wrong).toMatchObject({ exitCode: 3, notOk: ["key accepted: error"] });
    const issued = await keyOf(home, "default");
    const right = await diagnose(home, [], issued);
    expect(right).toMatchObject({ exitCode: 0, notOk: [] });
    expect(right.stdout).not.toContain(issued["SENDCTL_SECRET_KEY"]);
    const end = issued["SENDCTL_SECRET_KEY"]!.slice(-4);
    expect(right.check("key")?.detail).toBe(`from SENDCTL_SECRET_KEY, ends in ${end}`);
    const short = await diagnose(home, [], { SENDCTL_SECRET_KEY: "sk_12345" });
    expect(short.check("key")?.detail).toBe("from SENDCTL_SECRET_KEY");
  });
});

describe("checks of the configuration", () => {
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
    "a config file that is %s is an error, and the other checks run",
    async ([, text], { home, expect }) => {
      const file = await configure(home, text!);
      const { exitCode, check, checks, notOk } = await diagnose(home);
      expect({ exitCode, notOk }).toStrictEqual({ exitCode: 2, notOk: ["config: error"] });
      expect(check("config")?.detail).toContain(file);
      expect(checks.length).toBeGreaterThan(5);
    },
  );

  test("shows the profile and its source", async ({ home, expect }) => {
    await configure(home, whole);
    const here = await diagnose(home, [], { SENDCTL_PROFILE: "here" });
    expect(here).toMatchObject({ exitCode: 0, notOk: [] });
    expect(here.check("profile")?.detail).toBe("here, chosen by SENDCTL_PROFILE");
    const prod = await diagnose(home, ["--timeout", "2s"]);
    expect(prod.exitCode).toBe(8);
    expect(prod.check("profile")?.detail).toBe("prod, chosen by the config file");
    expect(prod.check("key")?.detail).toBe(`from the profile, ends in ${key.slice(-4)}`);
  });

  test.for([
    [["--profile", "nobody"], {}],
    [[], { SENDCTL_PROFILE: "nobody" }],
  ] as const)("an unknown profile is an error: %j %j", async ([args, env], { home, expect }) => {
    await configure(home, whole);
    const { exitCode, check, notOk } = await diagnose(home, args, env);
    // The base URL of the current profile is not asked.
    expect({ exitCode, notOk }).toStrictEqual({ exitCode: 2, notOk: ["settings: error"] });
    expect(check("settings")?.detail).toContain('unknown profile "nobody"');
  });

  test("a config file that others can read is a warning", async ({ home, expect }) => {
    const file = await configure(home, whole);
    await chmod(file, 0o640);
    const { exitCode, check } = await diagnose(home, ["--local"]);
    expect(exitCode).toBe(0);
    expect(check("config")).toMatchObject({ status: "warning", fix: `chmod 600 ${file}` });
  });

  test("reports each invalid variable, and the other checks run", async ({ home, expect }) => {
    const env = { SENDCTL_TIMEOUT: "soon", SENDCTL_RETRIES: "many", SENDCTL_OUTPUT: "xml" };
    const ran = await home.run(["doctor"], env);
    expect(ran.exitCode).toBe(2);
    for (const variable of Object.keys(env)) expect(ran.stdout).toContain(variable);
    expect(ran.stdout).toMatch(/^ok +database /m);
    expect(ran.stderr).toBe("sendctl: 3 errors\n");
  });

  test("rejects an invalid flag and arguments, as any command does", async ({ home, expect }) => {
    const ran = await home.run(["doctor", "--timeout", "soon"]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^sendctl: [^\n]+ --timeout\nhint: [^\n]+\n$/);
    expect(await home.run(["doctor", "now"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("output of doctor", () => {
  test("is plain without a terminal", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o604);
    const { exitCode, stdout, stderr } = await home.run(["doctor"]);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "1 warning\n" });
    expect(stdout).toMatch(/^ok {7}node {9}\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^warning {2}permissions {2}open to others: .+\n {22}fix: chmod 600 /m);
    // oxlint-disable-next-line no-control-regex -- these must not be printed
    expect(stdout).not.toMatch(/[\u001b✓]/);
  });

  test("has marks and colours and fits the width at a terminal", async ({ home, expect }) => {
    await writeFile(join(home.folder, "notes.txt"), "Not a database at all. ".repeat(99));
    const args = ["doctor", "--database", "notes.txt"];
    const ran = await runAtTerminal(home, args, { columns: 60 });
    expect(ran.exitCode).toBe(11);
    expect(ran.stdout).toContain("\u001b[32m✓ ok     \u001b[39m");
    expect(ran.stdout).toContain("\u001b[31m✗ error  \u001b[39m");
    const plain = await runAtTerminal(home, args, { columns: 60, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
    expect(plain.stdout).toContain("✗ error");
    for (const line of plain.stdout.split("\n").filter((line) => !line.includes(home.folder))) {
      expect(line.length).toBeLessThanOrEqual(60);
    }
  });

  test.for([
    [40, "✓ ok       node\n    ", "\n✓ ok       addon\n    better-sqlite3 loads\n"],
    [120, "✓ ok       node      ", "\n✓ ok       addon     better-sqlite3 loads\n"],
  ] as const)(
    "has its texts below the names if %i columns are too few",
    async ([columns, node, addon], { home, expect }) => {
      const { stdout } = await runAtTerminal(home, ["doctor"], { columns, env: { NO_COLOR: "1" } });
      expect(stdout.startsWith(node)).toBe(true);
      expect(stdout).toContain(addon);
    },
  );

  test("prints one line per check in jsonl, csv and id", async ({ home, expect }) => {
    const count = inEmbeddedMode.length - 3;
    const [jsonl, csv, id] = await Promise.all(
      ["jsonl", "csv", "id"].map((format) => home.run(["doctor", "-q", "-o", format])),
    );
    const lines = jsonl!.stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toHaveLength(count);
    expect(csv!.stdout.split("\r\n")[0]).toBe("name,status,detail,fix");
    expect(id!.stdout.split("\n").slice(0, 2)).toStrictEqual(["node", "addon"]);
    expect(jsonl!.stderr + csv!.stderr + id!.stderr).toBe("");
  });

  test("shows its request under --dry-run", async ({ home, expect }) => {
    const before = await stateOf(home.folder);
    const base = ["--base-url", "https://sms.example.com"];
    const ran = await home.run(["doctor", "--dry-run", ...base], { SENDCTL_SECRET_KEY: key });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toContain("/sender-id?perPage=1'");
    expect((await home.run(["doctor", "--dry-run"])).exitCode).toBe(2);
    expect(await stateOf(home.folder)).toStrictEqual(before);
  });
});
