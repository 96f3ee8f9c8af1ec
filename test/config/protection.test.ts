import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { writeConfig } from "../support/config-file.ts";
import { test, type Home } from "../support/home.ts";

/** Protects the target of a profile. */
async function protect(home: Home, profile: object, ...options: string[]): Promise<void> {
  await writeConfig(home, { profiles: { prod: profile } });
  await home.run(["profile", "protect", "prod", ...options]);
}

const remove = ["group", "delete", "1", "--yes"];

describe.concurrent("a protected target in every form", () => {
  test("is a base URL", async ({ home, expect }) => {
    const SENDCTL_SECRET_KEY = "sk_of_prod_0000";
    for (const [baseUrl, forms] of [
      ["https://sms.example.com", ["/", ":443", ".", "/a/.."]],
      ["http://127.0.0.1:9", ["/", ""]],
    ] as const) {
      await protect(home, { baseUrl });
      const others = baseUrl.includes("127") ? ["http://localhost:9", "HTTP://[::1]:9"] : [];
      for (const form of [...forms.map((end) => baseUrl + end), ...others]) {
        for (const [options, env] of [
          [["--base-url", form], {}],
          [[], { SENDCTL_BASE_URL: form }],
        ] as const) {
          const ran = await home.run([...remove, ...options], { SENDCTL_SECRET_KEY, ...env });
          expect({ form, ...ran }).toMatchObject({ form, exitCode: 2 });
          expect(ran.stderr).toContain("--confirm prod");
        }
      }
    }
  });

  test("is a file", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    await symlink(join(home.database, ".."), join(home.folder, "linked"));
    await symlink(home.database, join(home.folder, "link.db"));
    await protect(home, { mode: "local", database: home.database });
    const folder = "data/sendctl/../sendctl/sendctl.db";
    for (const file of [home.database, folder, "linked/sendctl.db", "link.db"]) {
      const ran = await home.run([...remove, "--database", file]);
      expect({ file, ...ran }).toMatchObject({ file, exitCode: 2 });
    }
  });

  for (const level of [[], ["--read-only"]]) {
    test(`is not replaced by a backup of another one, protected ${level.join("")}`, async ({
      home,
      expect,
    }) => {
      await home.run(["group", "create", "Friends"]);
      const kept = await readFile(home.database);
      await symlink(home.database, join(home.folder, "link.db"));
      await protect(home, { mode: "local", database: home.database }, ...level);
      await home.run(["group", "create", "Other", "--database", "other.db"]);
      for (const file of [home.database, "link.db"]) {
        const words = ["local", "backup", file, "--force", "--database", "other.db"];
        expect({ file, ...(await home.run(words)) }).toMatchObject({ file, exitCode: 2 });
      }
      expect(await readFile(home.database)).toEqual(kept);
    });
  }

  test("is a PostgreSQL database", async ({ home, expect }) => {
    const database = "postgres://me:secret@db.example.com/sms";
    await protect(home, { mode: "local", database }, "--read-only");
    for (const form of [
      database,
      "postgresql://other@DB.example.com:5432/sms?sslmode=disable",
      "postgres:///sms?host=db.example.com",
    ]) {
      const ran = await home.run(["group", "create", "x", "--database", form]);
      expect({ form, ...ran }).toMatchObject({ form, exitCode: 2 });
      expect(ran.stderr).toContain("prod is read-only");
    }
    const copied = await home.run(["local", "copy", "--to", database]);
    expect(copied).toMatchObject({ exitCode: 2 });
    expect(copied.stderr).toContain("refusing to copy to a read-only database");
  });

  test("is found however the config file names it, or the file is refused", async ({
    home,
    expect,
  }) => {
    const guard = { profile: "x", level: "read-only" };
    for (const [protection, says] of [
      [{ [`${home.folder}/data/../data/sendctl/sendctl.db`]: guard }, "profile x is read-only"],
      [{ prod: guard }, "must be named by a base URL or a database"],
    ] as const) {
      await writeConfig(home, { protected: protection });
      const ran = await home.run(["group", "create", "x"]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
      expect(ran.stderr).toContain(says);
    }
  });
});

test("--confirm with another name is refused before anything is sent", async ({ home, expect }) => {
  await home.run(["group", "create", "Friends"]);
  await writeConfig(home, { profiles: { dev: { mode: "local", database: home.database } } });
  for (const args of [["group", "list"], ["group", "create", "x"], remove]) {
    const ran = await home.run([...args, "--profile", "dev", "--confirm", "prod"]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect((await home.run([...args, "--profile", "dev", "--confirm", "dev"])).exitCode).toBe(0);
  }
  for (const [value, exitCode] of [
    ["1", 2],
    ["true", 2],
    ["TRUE", 2],
    ["yes", 2],
    ["On", 2],
    ["perhaps", 2],
    ["no", 0],
    ["OFF", 0],
    ["0", 0],
    ["false", 0],
    ["", 0],
  ] as const) {
    const ran = await home.run(["group", "create", "New"], { SENDCTL_READ_ONLY: value });
    expect([value, ran.exitCode]).toEqual([value, exitCode]);
  }
  const checked = await home.run(["local", "check", "--read-only"]);
  expect(checked.exitCode).toBe(0);
});
