import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { hashOf } from "../../../src/config/journal.ts";
import { dataOf, errorOf, test as base, type Home } from "../../support/home.ts";
import { takePort } from "../../support/ports.mjs";
import { until } from "../../support/waiting.ts";

/** A home whose services are stopped at the end. */
const test = base.extend<{ home: Home }>({
  home: async ({ home }, use) => {
    await use(home);
    for (let tries = 0; tries < 5; tries += 1) {
      const running = await home.run(["local", "status", "--json"]);
      if (running.exitCode === 4) return;
      for (const name of ["one.env", "two.env"]) await home.run(["local", "stop", name]);
    }
  },
});

interface Started {
  readonly base_url: string;
  readonly env_file: string;
  readonly pid: number;
}

const start = ["local", "start", "--write-env"];

async function started(home: Home, name: string, ...options: string[]): Promise<Started> {
  const ran = await home.run([...start, name, ...options, "--json"]);
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return dataOf(ran) as Started;
}

async function variables(home: Home, name: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(home.folder, name), "utf8")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** Returns the error of `local status`: "not_found" once no service is registered. */
async function left(home: Home): Promise<unknown> {
  return home.run(["local", "status", "--json"]).then(errorOf);
}

const registrations = ".local/state/sendctl/services";

/** Returns the names of the registrations. */
async function registered(home: Home): Promise<readonly string[]> {
  const names = await readdir(join(home.folder, registrations)).catch(() => []);
  return names.filter((name) => name.endsWith(".json"));
}

/** Begins to start a service that is registered, and waits until `open` is called. */
async function startWaiting(home: Home) {
  const [script, gate, temporary] = ["gate.cjs", "gate", "temporary"].map((name) =>
    join(home.folder, name),
  ) as [string, string, string];
  const isShut = `!require("node:fs").existsSync(${JSON.stringify(gate)})`;
  const pause = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);";
  const make = `(...given) => { while (${isShut}) ${pause} return make(...given); }`;
  const wait = `const fs = require("node:fs"), make = fs.mkdtempSync; fs.mkdtempSync = ${make};`;
  await writeFile(script, `if (process.argv.includes("serve")) { ${wait} }`);
  await mkdir(temporary);
  const env = { NODE_OPTIONS: `--require ${script}`, TMPDIR: temporary };
  const starting = home.start([...start, "one.env"], env);
  await until("it is registered", async () => (await registered(home)).length > 0);
  return { starting, open: () => writeFile(gate, ""), temporary };
}

describe("local start", () => {
  test("writes a file that a shell reads, whatever the temporary folder", async ({
    home,
    expect,
  }) => {
    const temporary = join(home.folder, "a folder, 'quoted'");
    await mkdir(temporary);
    const ran = await home.shell(
      `TMPDIR="${temporary}" sendctl local start --write-env a.env && set -a && . ./a.env && sendctl local info -o json; sendctl local stop a.env`,
    );
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(`"database": "${temporary}/`);
  });

  test("returns when the service responds, and it runs until local stop", async ({
    home,
    expect,
  }) => {
    await writeFile(join(home.folder, "seed.yaml"), "groups:\n  - name: Customers\n");
    const options = ["--seed", "seed.yaml", "--control", "--fault", "group.delete:status=503"];
    const { base_url } = await started(home, "one.env", ...options);
    const env = await variables(home, "one.env");
    expect(env).toMatchObject({ SENDCTL_BASE_URL: base_url });
    const listed = await home.run(["group", "list", "-o", "csv", "--columns", "name"], env);
    expect(listed.stdout).toBe("name\r\nCustomers\r\n");
    expect(
      (await home.run(["group", "delete", "1", "--yes", "--retries", "0"], env)).exitCode,
    ).toBe(8);
    const { SENDCTL_CONTROL_URL: control, SENDCTL_DATABASE: database } = env;
    expect((await fetch(`${control}/reset`, { method: "POST" })).ok).toBe(true);
    expect(existsSync(database!)).toBe(true);
    expect(dataOf(await home.run(["local", "status", "--json"]))).toMatchObject({ base_url });

    expect((await home.run(["local", "stop"])).exitCode).toBe(0);
    expect([existsSync(join(home.folder, "one.env")), existsSync(database!)]).toEqual([
      false,
      false,
    ]);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });

  test("limits the rate of each key", async ({ home, expect }) => {
    await started(home, "one.env", "--rate-limit", "1");
    const env = await variables(home, "one.env");
    const list = ["group", "list", "--retries", "0"];
    const ran = [await home.run(list, env), await home.run(list, env)];
    expect(ran.map(({ exitCode }) => exitCode)).toContain(7);
  });

  test("a second start on the file says what runs; several services need a file", async ({
    home,
    expect,
  }) => {
    const { base_url } = await started(home, "one.env");
    const again = await home.run([...start, "one.env", "--json"]);
    expect([again.exitCode, errorOf(again).kind]).toEqual([5, "conflict"]);
    expect(again.stderr).toContain(`one.env belongs to the service on ${base_url}`);
    const other = await started(home, "two.env");
    const several = await home.run(["local", "stop"]);
    expect(several.exitCode).toBe(2);
    expect(several.stderr).toContain("one.env");
    expect((await home.run(["local", "stop", "one.env"])).exitCode).toBe(0);
    expect(dataOf(await home.run(["local", "status", "--json"]))).toMatchObject(other);
  });

  test("a service that was killed leaves nothing once somebody asks", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    const { SENDCTL_DATABASE: database } = await variables(home, "one.env");
    process.kill(pid, "SIGKILL");
    let asked = await home.run(["local", "status"]);
    await until("it is gone", async () => {
      if (asked.exitCode !== 4) asked = await home.run(["local", "status"]);
      return asked.exitCode === 4;
    });
    const file = join(home.folder, "one.env");
    const warning = `Warning: the service for ${file} has ended; removed its leftover files\n`;
    expect(asked.stderr).toContain(warning);
    expect([file, dirname(database!)].filter(existsSync)).toEqual([]);
    await started(home, "one.env");
  });

  test("a file that another service has by now stays", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    const file = join(home.folder, "one.env");
    const text = (await readFile(file, "utf8")).replace(/^(SENDCTL_DATABASE=).*/m, "$1/other.db");
    process.kill(pid, "SIGKILL");
    await writeFile(file, text);
    await until("it is gone", async () => (await home.run(["local", "status"])).exitCode === 4);
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("one of several starts on a file at once gets it", async ({ home, expect }) => {
    const all = await Promise.all([1, 2, 3].map(() => home.spawn([...start, "one.env"])));
    const ended = (code: number) => all.filter(({ exitCode }) => exitCode === code);
    expect([ended(0).length, ended(5).length]).toEqual([1, 2]);
    expect(await registered(home)).toHaveLength(1);
    const stops = await Promise.all([1, 2].map(() => home.run(["local", "stop", "one.env"])));
    for (const { exitCode } of stops) expect([0, 4]).toContain(exitCode);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });

  test.for([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("%s ends a start and its service", async ([signal, exitCode], { home, expect }) => {
    const { starting, temporary } = await startWaiting(home);
    expect(dataOf(await home.run(["local", "status", "--json"]))).toMatchObject({ base_url: null });
    const again = await home.run([...start, "one.env"]);
    expect(again.exitCode).toBe(5);
    expect(again.stderr).toContain("one.env belongs to a service that is starting");
    starting.kill(signal);
    expect((await starting).exitCode).toBe(exitCode);
    expect([...(await registered(home)), ...(await readdir(temporary))]).toEqual([]);
  });

  test("several are listed, and one that is not there cannot be stopped", async ({
    home,
    expect,
  }) => {
    expect((await home.run(["local", "stop"])).exitCode).toBe(4);
    await home.run([...start, "one.env"]);
    await home.run([...start, "two.env"]);
    const list = dataOf(await home.run(["local", "status", "--json"])) as {
      data: readonly { env_file: string; started_at: string }[];
    };
    expect(list.data.map(({ env_file: file }) => file).toSorted()).toEqual(
      ["one.env", "two.env"].map((name) => join(home.folder, name)),
    );
    expect(Date.parse(list.data[0]!.started_at)).toBeGreaterThan(0);
    for (const file of ["one.env", "two.env"]) await home.run(["local", "stop", file]);
  });

  test("a port that is taken is reported with its hint last", async ({ home, expect }) => {
    const other = await takePort();
    const ran = await home.run([...start, "one.env", "--port", String(other.port)]);
    await other.close();
    expect(ran.exitCode).toBe(8);
    expect(ran.stderr).toMatch(
      /^sendctl: the service did not start: port \d+ of 127\.0\.0\.1 is in use\nhint: pass another port with --port, .*\n$/,
    );
  });

  test("a service whose start was killed can be stopped", async ({ home, expect }) => {
    const { starting, open, temporary } = await startWaiting(home);
    starting.kill("SIGKILL");
    await starting;
    expect((await home.run(["local", "status", "one.env"])).exitCode).toBe(0);
    const stopping = home.run(["local", "stop"]);
    await open();
    expect((await stopping).exitCode).toBe(0);
    expect([...(await registered(home)), ...(await readdir(temporary))]).toEqual([]);
  });

  test("a service whose start was killed ends by itself", async ({ home, expect }) => {
    const { starting, open, temporary } = await startWaiting(home);
    starting.kill("SIGKILL");
    await starting;
    await open();
    await until("it is gone", async () => (await home.run(["local", "status"])).exitCode === 4);
    expect([...(await registered(home)), ...(await readdir(temporary))]).toEqual([]);
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
  });

  test.for(["a file", "/proc/x"])("XDG_STATE_HOME is %s", async (name, { home, expect }) => {
    const state = join(home.folder, name);
    await writeFile(join(home.folder, "a file"), "");
    const XDG_STATE_HOME = name.startsWith("/") ? name : state;
    for (const words of [
      [...start, "one.env"],
      ["local", "status"],
      ["local", "stop"],
    ]) {
      const ran = await home.run(words, { XDG_STATE_HOME });
      // In a folder that does not exist, none is registered.
      const isAbsent = name === "/proc/x";
      const isStart = words.includes("start");
      expect(ran.exitCode).toBe(isAbsent ? (isStart ? 8 : 4) : 2);
      if (isAbsent && !isStart) continue;
      expect(ran.stderr).toContain(
        `the folder ${XDG_STATE_HOME}/sendctl/services cannot be used (`,
      );
    }
  });

  test("a service that ends by itself removes its file", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    process.kill(pid, "SIGTERM");
    await until("its file is gone", async () => !existsSync(join(home.folder, "one.env")));
    await until("it is gone", async () => (await home.run(["local", "stop"])).exitCode === 4);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });

  test("a service that is suspended stays registered", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    process.kill(pid, "SIGSTOP");
    const silent = `sendctl: the service for ${join(home.folder, "one.env")} (process ${pid}) does not respond\n`;
    const asked = [
      [...start, "one.env"],
      ["local", "status"],
      ["local", "stop"],
    ];
    const [again, ...ran] = await Promise.all(asked.map((words) => home.run(words)));
    expect(again!.exitCode).toBe(5);
    for (const { exitCode, stderr } of ran) {
      expect(exitCode).toBe(8);
      expect(stderr).toContain(silent);
    }
    process.kill(pid, "SIGCONT");
    expect((await home.run(["local", "stop"])).exitCode).toBe(0);
    expect(await registered(home)).toEqual([]);
  });

  test("without --control, the control URL stands in the registration alone", async ({
    home,
    expect,
  }) => {
    await started(home, "one.env");
    expect(await variables(home, "one.env")).not.toHaveProperty("SENDCTL_CONTROL_URL");
    const [name = ""] = await registered(home);
    const file = join(home.folder, registrations, name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { control_url: control } = JSON.parse(await readFile(file, "utf8")) as {
      readonly control_url: string;
    };
    expect((await fetch(`${control}/health`)).status).toBe(204);
    expect((await fetch(`${control}/stop`, { method: "POST" })).status).toBe(204);
    await until("it has ended", async () => (await registered(home)).length === 0);
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
  });

  test("the files of a killed service go, also below a temporary folder with a space", async ({
    home,
    expect,
  }) => {
    const temporary = join(home.folder, "temporary folder");
    await mkdir(temporary);
    const ran = await home.spawn([...start, "one.env", "--json"], { TMPDIR: temporary });
    const { pid } = dataOf(ran) as Started;
    process.kill(pid, "SIGKILL");
    await until("it is gone", async () => (await home.run(["local", "status"])).exitCode === 4);
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
    expect(await readdir(temporary)).toEqual([]);
  });

  test("what a planted registration names is neither removed nor ended", async ({
    home,
    expect,
  }) => {
    const { pid } = await started(home, "one.env");
    const folder = join(home.folder, registrations);
    const [name = ""] = await registered(home);
    const real = JSON.parse(await readFile(join(folder, name), "utf8")) as object;
    const documents = join(home.folder, "documents");
    const lookalike = join(home.folder, "sendctl-abcdef");
    for (const kept of [documents, lookalike]) {
      await mkdir(kept, { mode: 0o700 });
      await writeFile(join(kept, "thesis.txt"), "years of work");
    }
    const other = execa("sleep", ["60"]);
    const plant = async (fields: { readonly pid: number; readonly [field: string]: unknown }) => {
      const planted = { ...real, env_file: join(home.folder, `${fields.pid}.env`), ...fields };
      const file = `${hashOf([Reflect.get(planted, "host"), planted.env_file])}.json`;
      await writeFile(join(folder, file), JSON.stringify(planted), { mode: 0o600 });
      return file;
    };
    const { port, close } = await takePort();
    await close();
    const control_url = `http://127.0.0.1:${port}/secret`;
    await plant({ pid: 4_190_000, control_url, database: join(documents, "thesis.txt") });
    await plant({ pid: 4_190_001, control_url, database: join(lookalike, "thesis.txt") });
    await plant({ pid: 4_190_002, control_url, database: "/tmp/\u0000" });
    const foreign = await plant({ pid: 4_190_003, control_url, host: "another" });
    await plant({ pid: other.pid!, control_url, database: join(documents, "thesis.txt") });
    const elsewhere = await plant({ pid: 4_190_004, control_url: "http://192.0.2.1:1/secret" });
    await symlink("/dev/zero", join(folder, "4190005.json"));
    execFileSync("mkfifo", [join(folder, "4190006.json")]);
    const first = await home.run(["local", "status", "--json"]);
    expect(dataOf(first)).toMatchObject({ pid });
    // The process of the other program, the two folders, and the path that no file has.
    expect(first.stderr.match(/has ended/g)).toHaveLength(4);
    const again = await home.run(["local", "status", "--json"]);
    expect(again.stderr).not.toContain("has ended");
    expect((await home.run(["local", "stop"])).exitCode).toBe(0);
    for (const kept of [documents, lookalike]) expect(await readdir(kept)).toEqual(["thesis.txt"]);
    expect(other.killed).toBe(false);
    expect(other.exitCode).toBeNull();
    // It belongs to another machine, which may still run it.
    expect(await registered(home)).toContain(foreign);
    expect(await registered(home)).toContain(elsewhere);
    other.kill();
    await other.catch(() => {});
  });

  test("what cannot start is reported, and nothing runs or is left", async ({ home, expect }) => {
    const { port, close } = await takePort();
    await writeFile(join(home.folder, "broken.db"), "SQLite format 3\0");
    const cases = [
      [["--port", String(port)], "in use"],
      [["--seed", "broken.db"], "did not start"],
    ] as const;
    for (const [options, message] of cases) {
      const ran = await home.run([...start, "one.env", ...options]);
      expect(ran).toMatchObject({ exitCode: 8, stderr: expect.stringContaining(message) });
    }
    await close();
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });
});
