import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
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

/** Returns what is in the state folder. */
async function left(home: Home): Promise<unknown> {
  return home.run(["local", "status", "--json"]).then(errorOf);
}

describe("local start", () => {
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

  test("a second start on the file says what runs; several services need a file", async ({
    home,
    expect,
  }) => {
    const { base_url } = await started(home, "one.env");
    const again = await home.run([...start, "one.env", "--json"]);
    expect([again.exitCode, errorOf(again).kind]).toEqual([5, "conflict"]);
    expect(again.stderr).toContain(`one.env is the file of the service on ${base_url}`);
    const other = await started(home, "two.env");
    const several = await home.run(["local", "stop"]);
    expect(several.exitCode).toBe(2);
    expect(several.stderr).toContain("one.env");
    expect((await home.run(["local", "stop", "one.env"])).exitCode).toBe(0);
    expect(dataOf(await home.run(["local", "status", "--json"]))).toMatchObject(other);
  });

  test("a service that was killed leaves nothing once somebody asks", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    process.kill(pid, "SIGKILL");
    await until("it is gone", async () => (await home.run(["local", "status"])).exitCode === 4);
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
    await started(home, "one.env");
  });

  test("a service that ends by itself removes its file", async ({ home, expect }) => {
    const { pid } = await started(home, "one.env");
    process.kill(pid, "SIGTERM");
    await until("its file is gone", async () => !existsSync(join(home.folder, "one.env")));
    await until("it is gone", async () => (await home.run(["local", "stop"])).exitCode === 4);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });

  test("a registration whose process is another one by now ends nobody", async ({
    home,
    expect,
  }) => {
    const folder = join(home.folder, ".local/state/sendctl/services");
    await mkdir(folder, { recursive: true });
    const log = join(folder, "x.log");
    const stale = { pid: process.pid, started: "1", base_url: "http://x", env_file: "/x", log };
    await writeFile(join(folder, `${process.pid}.json`), JSON.stringify(stale));
    await writeFile(join(folder, "1.json"), "damaged");
    expect((await home.run(["local", "stop"], { XDG_STATE_HOME: "" })).exitCode).toBe(4);
  });

  test("what cannot start is reported, and nothing runs or is left", async ({ home, expect }) => {
    const { port, close } = await takePort();
    await writeFile(join(home.folder, "other.txt"), "mine");
    await symlink("/dev/null", join(home.folder, "link.env"));
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [[], 2, "missing required option --write-env FILE"],
      [["--write-env", "other.txt"], 2, "other.txt: exists and was not written by serve"],
      [["--write-env", "link.env"], 2, "is a symbolic link"],
      [["--write-env", "no/such.env"], 2, "its folder does not exist"],
      [["--write-env", "one.env", "--port", String(port)], 8, "in use"],
      [["--write-env", "one.env", "--seed", "no.yaml"], 8, "no.yaml does not exist"],
      [["--write-env", "one.env", "--fault", "x:status=1"], 8, "x"],
      [["--write-env", "one.env", "--key-from-env"], 8, "SENDCTL_SECRET_KEY is not set"],
    ];
    for (const [options, exitCode, message] of cases) {
      const ran = await home.run(["local", "start", ...options]);
      expect([options, ran.exitCode, ran.stderr]).toEqual([
        options,
        exitCode,
        expect.stringContaining(message),
      ]);
    }
    await close();
    expect(existsSync(join(home.folder, "one.env"))).toBe(false);
    expect(await left(home)).toMatchObject({ kind: "not_found" });
  });
});
