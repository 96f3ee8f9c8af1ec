import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
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

  test("does not replace other files or follow links", async ({ home, expect }) => {
    const at = (name: string): string => join(home.folder, name);
    await writeFile(at("other.env"), "DATABASE_PASSWORD=x\n");
    await writeFile(at("target"), "");
    await symlink(at("target"), at("link.env"));
    await symlink(at("absent"), at("dangling.env"));
    await mkdir(at("folder.env"));
    for (const name of ["other.env", "link.env", "dangling.env", "folder.env", "none/x.env", ""]) {
      const outcome = await home.run(["serve", "--port", "0", "--write-env", name]);
      expect({ name, ...outcome }).toMatchObject({ exitCode: 2, stdout: "" });
    }
    expect(await readFile(at("other.env"), "utf8")).toBe("DATABASE_PASSWORD=x\n");
    expect(await readFile(at("target"), "utf8")).toBe("");
    expect((await lstat(at("link.env"))).isSymbolicLink()).toBe(true);
    for (const name of ["absent", "none"]) expect(existsSync(at(name))).toBe(false);
    expect(existsSync(home.database)).toBe(false);
  });
});
