import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execPath, platform, versions } from "node:process";
import { execa } from "execa";
import { afterAll, beforeAll, describe } from "vitest";
import { test, type Home } from "../support/home.ts";

const folder = join(tmpdir(), `sendctl-executable-test-${randomUUID()}`);
const program = join(folder, platform === "win32" ? "sendctl.exe" : "sendctl");

const isRelease = [".", ".."].some((above) =>
  existsSync(join(dirname(execPath), above, "LICENSE")),
);
const canBuild = Number.parseInt(versions.node, 10) >= 24 && isRelease;

async function run(
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const options = { cwd: home.folder, extendEnv: false, reject: false, stdin: "ignore" } as const;
  const { exitCode, stdout, stderr } = await execa(program, args, {
    ...options,
    env: { ...home.env, ...env },
    stripFinalNewline: false,
  });
  return { exitCode, stdout, stderr };
}

/** The environment of a user whose cache is used. */
function cached(home: Home) {
  return { SENDCTL_NO_CODE_CACHE: "", XDG_CACHE_HOME: join(home.folder, "cache") };
}

/** Returns the path of the addon in the user's cache, after a first command. */
async function writtenAddon(home: Home): Promise<string> {
  const { exitCode, stderr } = await run(home, ["group", "list"], cached(home));
  if (exitCode !== 0) throw new Error(stderr);
  const root = join(home.folder, "cache", "sendctl");
  const name = (await readdir(root)).find((entry) => /^better-sqlite3-.*\.node$/.test(entry));
  return join(root, name!);
}

describe.skipIf(!canBuild)("the single executable (needs Node 24 from a release)", () => {
  beforeAll(async () => {
    await execa(execPath, ["executable/build.mjs", folder]);
  }, 180_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.for([
    ["--version"],
    ["version", "--json"],
    ["--help"],
    ["help", "options"],
    ["completion", "bash"],
    ["schema", "manifest"],
    ["group", "fetch", "1", "--json"],
    ["nope"],
  ])("prints what the package prints: %s", async (args, { home, expect }) => {
    expect(await run(home, args)).toStrictEqual(await home.spawn(args));
  });

  test("creates and lists records", async ({ home, expect }) => {
    expect(await run(home, ["group", "create", "Friends"])).toMatchObject({ exitCode: 0 });
    const { stdout } = await home.spawn(["group", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { data: [{ name: "Friends" }] } });
  });

  test("serves", async ({ home, expect }) => {
    const request =
      "fetch(process.env.SENDCTL_BASE_URL + '/healthz').then(({ status }) => console.log(status))";
    const args = ["local", "run", "--", execPath, "--eval", request];
    expect(await run(home, args)).toMatchObject({ exitCode: 0, stdout: "200\n" });
  });

  test("reports the addon as included", async ({ home, expect }) => {
    const { exitCode, stdout } = await run(home, ["doctor", "--json"]);
    expect(exitCode).toBe(0);
    const { data } = JSON.parse(stdout) as { data: { checks: object[] } };
    expect(data.checks).toContainEqual(
      expect.objectContaining({
        name: "addon",
        status: "ok",
        detail: expect.stringContaining("included") as string,
      }),
    );
  });

  test("comes with the licences of all that it includes", async ({ expect }) => {
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining(["LICENSE", "NODE-LICENSE.txt", "THIRD-PARTY-LICENSES.txt"]),
    );
    expect(await readFile(join(folder, "THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(
      /^better-sqlite3 13/m,
    );
    expect(await readFile(join(folder, "NODE-LICENSE.txt"), "utf8")).toContain(
      "Node.js is licensed",
    );
  });

  describe("keeps the addon in the user's cache", () => {
    test("for the user alone", async ({ home, expect }) => {
      const { mode } = await lstat(await writtenAddon(home));
      expect(mode & 0o777).toBe(0o600);
    });

    test("and replaces one with other content", async ({ home, expect }) => {
      const addon = await writtenAddon(home);
      const bytes = await readFile(addon);
      const other = Buffer.from(bytes);
      other[bytes.length - 1]! ^= 1;
      await writeFile(addon, other);
      expect(await run(home, ["group", "list"], cached(home))).toMatchObject({ exitCode: 0 });
      expect(bytes.equals(await readFile(addon))).toBe(true);
    });

    test("and replaces a link", async ({ home, expect }) => {
      const addon = await writtenAddon(home);
      const elsewhere = join(home.folder, "elsewhere");
      await writeFile(elsewhere, await readFile(addon), { mode: 0o600 });
      await rm(addon);
      await symlink(elsewhere, addon);
      expect(await run(home, ["group", "list"], cached(home))).toMatchObject({ exitCode: 0 });
      expect((await lstat(addon)).isFile()).toBe(true);
    });

    test.for(["cache", "cache/sendctl"])(
      "unless others can write to %s",
      async (name, { home, expect }) => {
        const addon = await writtenAddon(home);
        await rm(addon);
        await chmod(join(home.folder, name), 0o777);
        expect(await run(home, ["group", "list"], cached(home))).toMatchObject({ exitCode: 0 });
        expect(existsSync(addon)).toBe(false);
      },
    );
  });

  test("leaves no temporary files", async ({ home, expect }) => {
    const TMPDIR = join(home.folder, "temporary");
    await mkdir(TMPDIR);
    expect(await run(home, ["group", "list"], { TMPDIR })).toMatchObject({ exitCode: 0 });
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  test("reports that it can write the addon nowhere", async ({ home, expect }) => {
    const { exitCode, stdout } = await run(home, ["group", "list", "--json"], {
      TMPDIR: join(home.folder, "missing"),
    });
    expect(exitCode).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { kind: "database", hint: expect.stringContaining("TMPDIR") as string },
    });
  });
});
