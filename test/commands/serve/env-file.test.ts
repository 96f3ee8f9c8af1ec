import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../../support/serving.ts";

const secret = /^SENDCTL_SECRET_KEY=(sk_[A-Za-z0-9_-]{43})$/m;

async function statusWith(baseUrl: string, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${baseUrl}/v1/group`, { headers })).status;
}

describe.concurrent("serve --write-env", () => {
  test("writes the base URL and a key, readable only by the owner", async ({
    home,
    serve,
    expect,
  }) => {
    const file = join(home.folder, "service.env");
    const first = await serve(["--port", "0", "--write-env", "service.env"]);
    const text = await readFile(file, "utf8");
    const key = secret.exec(text)![1]!;
    const address = `SENDCTL_BASE_URL=${first.baseUrl}\nSENDCTL_SECRET_KEY=${key}\n`;
    expect(text).toBe(`${address}SENDCTL_DATABASE=${home.database}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await statusWith(first.baseUrl, key)).toBe(200);
    const { stdout, stderr } = await first.stop();
    expect(stdout + stderr).not.toContain(key);
    expect((await readdir(home.folder)).filter((name) => name.startsWith("service"))).toStrictEqual(
      ["service.env"],
    );

    // A valid key is reused, and the mode is restored.
    await chmod(file, 0o644);
    const second = await serve(["--port", "0", "--write-env", file, "--json"]);
    expect(second.stdout()).not.toContain("sk_");
    expect(secret.exec(await readFile(file, "utf8"))![1]).toBe(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await second.stop();
    await home.run(["local", "key", "revoke", "1", "--yes"]);
    const third = await serve(["--port", "0", "--write-env", file]);
    const another = secret.exec(await readFile(file, "utf8"))![1]!;
    expect(another).not.toBe(key);
    expect(await statusWith(third.baseUrl, another)).toBe(200);
  });
});
