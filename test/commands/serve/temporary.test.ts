import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { launcher } from "../../support/home.ts";
import { groupsOf, startServe, test } from "../../support/serving.ts";

const manifest = "sender_ids:\n  - name: ACME\n    purpose: Orders\ngroups:\n  - name: Customers\n";
const key = "a-key-of-16-characters";

describe("serve --temporary", () => {
  test("begins with a seed and the key of the environment, and leaves nothing", async ({
    home,
    serve,
    expect,
  }) => {
    await writeFile(join(home.folder, "seed.yaml"), manifest);
    const temporary = join(home.folder, "tmp");
    await mkdir(temporary);
    const args = ["--temporary", "--seed", "seed.yaml", "--key-from-env", "--control", "--json"];
    const env = { SENDCTL_SECRET_KEY: key, TMPDIR: temporary };
    const { baseUrl, stdout, stop } = await serve(args, env);
    // One line, for a script that reads it from a pipe.
    expect(stdout()).toMatch(/^\{.*\}\n$/);
    const { data } = JSON.parse(stdout()) as { readonly data: { readonly control_url: string } };
    expect(Object.keys(data)).toStrictEqual(["base_url", "control_url", "database"]);
    const { control_url: control } = data;
    const remote = { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key };
    expect(await groupsOf(home, remote)).toMatchObject([{ id: 1, name: "Customers" }]);
    const headers = { Authorization: `Bearer ${key}` };
    await fetch(`${baseUrl}/v1/group/1`, { method: "DELETE", headers });
    expect((await fetch(`${control}/reset`, { method: "POST" })).status).toBe(204);
    expect(await groupsOf(home, remote)).toMatchObject([{ id: 1, name: "Customers" }]);
    // Without a key of its own, so that only the service knows which text is one.
    await fetch(`${baseUrl}/v1/${key}`);
    const { stderr } = await stop();
    expect(stderr).toContain('"path":"/v1/[hidden]"');
    expect(stderr).not.toContain(control);
    expect(stderr).not.toContain(key);
    await expect(fetch(control)).rejects.toThrow("fetch failed");
    expect(existsSync(home.database)).toBe(false);
  });

  test("writes the control URL to the file of --write-env alone", async ({
    home,
    serve,
    expect,
  }) => {
    const args = ["--temporary", "--control", "--write-env", "service.env"];
    const { stdout, stop } = await serve(args);
    const text = await readFile(join(home.folder, "service.env"), "utf8");
    const { stderr } = await stop();
    await expect(readFile(join(home.folder, "service.env"))).rejects.toThrow("ENOENT");
    expect(text).toMatch(/^SENDCTL_CONTROL_URL=http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/m);
    expect(stdout() + stderr).not.toContain("CONTROL");
  });

  test("leaves the file of another service that has replaced its own", async ({
    home,
    serve,
    expect,
  }) => {
    const args = ["--port", "0", "--temporary", "--write-env", "service.env"];
    const first = await serve(args);
    const second = await serve(args);
    await first.stop();
    const file = join(home.folder, "service.env");
    expect(await readFile(file, "utf8")).toContain(second.baseUrl);
    await second.stop();
    expect(existsSync(file)).toBe(false);
  });

  test("removes the database of one that was killed, and not of one that runs", async ({
    home,
    serve,
    expect,
  }) => {
    const TMPDIR = join(home.folder, "tmp");
    await mkdir(join(TMPDIR, "sendctl-AbC123"), { recursive: true });
    const { kill } = await startServe(home, ["--temporary"], { TMPDIR });
    const running = await serve(["--temporary"], { TMPDIR });
    await kill();
    expect(await readdir(TMPDIR)).toHaveLength(3);
    const another = await serve(["--temporary"], { TMPDIR });
    expect(await readdir(TMPDIR)).toHaveLength(3);
    expect(await groupsOf(home, running.client)).toStrictEqual([]);
    await running.stop();
    await another.stop();
    expect(await readdir(TMPDIR)).toStrictEqual(["sendctl-AbC123"]);
  });
});

describe("local run", () => {
  const script = `
    const { SENDCTL_BASE_URL: base, SENDCTL_SECRET_KEY: key, SENDCTL_CONTROL_URL: control } = process.env;
    const headers = { Authorization: "Bearer " + key };
    (async () => {
      await fetch(base + "/v1/group/1", { method: "DELETE", headers });
      if (control) await fetch(control + "/reset", { method: "POST" });
      const { data } = await (await fetch(base + "/v1/group", { headers })).json();
      console.log(JSON.stringify(data.data.map(({ name }) => name)));
    })();`;

  test("takes a backup as its seed, without the keys in it, and --control", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Kept"]);
    await home.run(["local", "key", "create"]);
    await home.run(["local", "backup", "records.db"]);
    const args = ["local", "run", "--seed", "records.db"];
    const plain = await home.spawn([...args, "--", process.execPath, "-e", script]);
    expect(plain.stdout).toBe("[]\n");
    const controlled = await home.spawn([
      ...args,
      "--control",
      "--",
      process.execPath,
      "-e",
      script,
    ]);
    expect(controlled.stdout).toBe('["Kept"]\n');
    const list = ["--", process.execPath, launcher, "local", "key", "list", "-o", "id"];
    const { stdout } = await home.spawn([...args, ...list]);
    // The key of this service alone.
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("1\n");
  });

  test("refuses a backup beside other seeds, and one that is damaged", async ({ home, expect }) => {
    await home.run(["group", "create", "Kept"]);
    await home.run(["local", "backup", "records.db"]);
    await writeFile(join(home.folder, "seed.yaml"), manifest);
    const both = ["local", "run", "--seed", "records.db", "--seed", "seed.yaml", "--", "true"];
    expect(await home.run(both)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("records.db is a backup"),
    });
    const bytes = await readFile(join(home.folder, "records.db"));
    await writeFile(join(home.folder, "records.db"), bytes.subarray(0, 8192));
    const damaged = await home.run(["local", "run", "--seed", "records.db", "--", "true"]);
    expect(damaged).toMatchObject({ exitCode: 11, stdout: "" });
  });
});
