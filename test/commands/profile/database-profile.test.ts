import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { configOf, writeConfig } from "../../support/config-file.ts";
import { dataOf, errorOf, test, type Home } from "../../support/home.ts";

function login(home: Home, options: string) {
  return home.run(["login", "--profile", "dev", ...options.split(" "), "--json"]);
}

describe("login with a database", () => {
  test("makes it the current profile and creates no file", async ({ home, expect }) => {
    const database = join(home.folder, "dev.db");
    expect(dataOf(await login(home, "--database dev.db"))).toStrictEqual({
      profile: "dev",
      database,
    });
    await expect(readFile(database)).rejects.toThrow("ENOENT");
    const created = await home.run(["group", "create", "Customers"]);
    expect(created.exitCode).toBe(0);
    expect((await home.run(["group", "list", "-o", "id", "--database", "dev.db"])).stdout).toBe(
      "1\n",
    );
    expect((await home.run(["group", "list", "-o", "id", "--local"])).stdout).toBe("1\n");
  });

  test("stores the default database with --local", async ({ home, expect }) => {
    expect(dataOf(await login(home, "--local"))).toMatchObject({ database: home.database });
    const { stdout } = await home.run(["profile", "show", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      data: { profile: { value: "dev" }, mode: { value: "embedded", from: "profile" } },
    });
  });

  test("stores nothing if the database cannot be opened", async ({ home, expect }) => {
    await writeFile(join(home.folder, "text.db"), "no database");
    for (const [database, kind] of [
      ["text.db", "database"],
      ["missing/dev.db", "database"],
    ] as const) {
      const refused = await login(home, `--database ${database}`);
      expect(refused.exitCode).toBe(11);
      expect(errorOf(refused)).toMatchObject({ kind });
    }
    expect((await home.run(["profile", "list", "-o", "id"])).stdout).toBe("");
  });

  test("keeps the profile of a service, and takes no key", async ({ home, expect }) => {
    const config = { profiles: { dev: { baseUrl: "https://sms.example.com", secretKey: "sk_x" } } };
    const refusedKey = await login(home, "--database dev.db --key-command true");
    expect(refusedKey.exitCode).toBe(2);
    await home.run(["login", "--profile", "other", "--local"]);
    await writeConfig(home, config);
    const refused = await login(home, "--database dev.db");
    expect(refused.exitCode).toBe(2);
    expect(JSON.parse(await readFile(configOf(home), "utf8"))).toStrictEqual(config);
  });
});
