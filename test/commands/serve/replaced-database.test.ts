import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test, startServe } from "../../support/serving.ts";

async function create(baseUrl: string, key: string | undefined, name: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ name });
  const response = await fetch(`${baseUrl}/v1/group`, { method: "POST", headers, body });
  await response.text();
  return response.status;
}

describe.concurrent("serve whose database", () => {
  test("is removed rejects writes, is unhealthy, and reports it once", async ({
    home,
    serve,
    expect,
  }) => {
    const { baseUrl, key, said, stop } = await serve();
    expect(await create(baseUrl, key, "Friends")).toBe(201);
    for (const ending of ["", "-wal", "-shm"]) await rm(`${home.database}${ending}`);
    expect(await create(baseUrl, key, "Lost")).toBe(503);
    expect(await create(baseUrl, key, "Lost")).toBe(503);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(503);
    await said("was removed while it was open");
    const { stderr } = await stop();
    expect(stderr.split("was removed while it was open")).toHaveLength(2);
    expect(existsSync(home.database)).toBe(false);
  });

  test("is replaced after a kill makes `local check` and `doctor` report the log", async ({
    home,
    expect,
  }) => {
    const other = join(home.folder, "other.db");
    await home.run(["group", "create", "Others", "--database", other]);
    const { serve, kill } = await startServe(home, ["--port", "0"], {});
    expect(await create(serve.baseUrl, serve.key, "Friends")).toBe(201);
    await kill();
    await rename(other, home.database);

    const checked = await home.run(["local", "check", "--json"]);
    expect(checked.exitCode).toBe(11);
    expect(checked.stdout + checked.stderr).toContain("-wal belongs to another database");
    const diagnosed = await home.run(["doctor"]);
    expect(diagnosed.exitCode).toBe(11);
    const listed = await home.run(["group", "list", "--json"]);
    expect(listed.exitCode).toBe(11);
    expect(JSON.parse(listed.stdout)).toMatchObject({ error: { kind: "database" } });

    // As the hint suggests.
    for (const ending of ["-wal", "-shm"]) await rm(`${home.database}${ending}`);
    expect((await home.run(["local", "check"])).exitCode).toBe(0);
    expect((await home.run(["group", "list", "--output", "id"])).stdout).toBe("1\n");
  });
});
