import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { describe } from "vitest";
import { test } from "../../support/serving.ts";

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
});
