import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { execa } from "execa";
import { describe, vi } from "vitest";
import { driver, findAddon } from "../../src/engine/sqlite/database-file.ts";
import { test, type Home } from "../support/home.ts";

vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, "../..");
const { packageName, installCommand } = driver;
const original = dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`));

/** Installs the built program with its own copy of the addon. */
async function install(home: Home): Promise<{ readonly addon: string; readonly program: string }> {
  const installed = join(home.folder, "installed");
  const copy = join(installed, "node_modules", packageName);
  const addon = join(copy, relative(original, findAddon()));
  await mkdir(dirname(addon), { recursive: true });
  for (const part of ["bin", "dist"])
    await cp(join(root, part), join(installed, part), { recursive: true });
  await cp(join(root, "package.json"), join(installed, "package.json"));
  await cp(join(original, "package.json"), join(copy, "package.json"));
  await cp(findAddon(), addon);
  return { addon, program: join(installed, "bin/sendctl.js") };
}

async function run(home: Home, program: string, ...args: string[]) {
  const options = { cwd: home.folder, env: home.env, extendEnv: false, reject: false } as const;
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], options);
  return { exitCode, stdout, stderr };
}

describe("the addon", () => {
  test("that is not installed is named with the command that installs it", async ({
    home,
    expect,
  }) => {
    const { program } = await install(home);
    await rm(join(home.folder, "installed/node_modules"), { recursive: true });
    const listed = await run(home, program, "group", "list", "--json");
    expect(listed.exitCode).toBe(11);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      error: {
        kind: "database",
        message: expect.stringContaining(`${packageName} is not installed`) as string,
        hint: expect.stringContaining(installCommand) as string,
      },
    });
    const diagnosed = await run(home, program, "doctor");
    expect(diagnosed.exitCode).toBe(11);
    expect(diagnosed.stdout).toContain(installCommand);
  });

  test("is needed neither for help nor by a remote service", async ({ home, expect }) => {
    const { program } = await install(home);
    await rm(join(home.folder, "installed/node_modules"), { recursive: true });
    expect((await run(home, program, "group", "list", "--help")).exitCode).toBe(0);
    const remote = ["--base-url", "http://127.0.0.1:9", "--json", "--retries", "0"];
    const env = { ...home.env, SENDCTL_SECRET_KEY: "sk_key" };
    const listed = await run({ ...home, env }, program, "group", "list", ...remote);
    expect(JSON.parse(listed.stdout)).toMatchObject({ error: { kind: "unavailable" } });
    const diagnosed = await run({ ...home, env }, program, "doctor", ...remote);
    expect(JSON.parse(diagnosed.stdout)).toMatchObject({
      data: {
        checks: expect.arrayContaining([
          expect.objectContaining({ name: "addon", status: "warning" }),
        ]) as unknown,
      },
    });
  });

  test.skipIf(packageName !== "better-sqlite3")(
    "whose install script did not run is named with what allows it (skipped with prebuilt addons)",
    async ({ home, expect }) => {
      const { addon, program } = await install(home);
      await rm(addon);
      const { exitCode, stderr } = await run(home, program, "group", "list");
      expect(exitCode).toBe(11);
      expect(stderr).toContain("npm rebuild better-sqlite3 --ignore-scripts=false");
      expect(stderr).toContain("pnpm approve-builds");
    },
  );

  test.skipIf(packageName !== "better-sqlite3")(
    "built for another Node is reported (skipped with Node-API addons, which have none)",
    async ({ home, expect }) => {
      const { addon, program } = await install(home);
      const bytes = await readFile(addon);
      const { modules } = process.versions;
      // The record that the addon registers begins with its module version, followed by zero bytes.
      const number = Buffer.alloc(16);
      number.writeUInt32LE(Number(modules));
      const at = bytes.lastIndexOf(number);
      expect(at).toBeGreaterThan(0);
      bytes.writeUInt32LE(108, at);
      // The name of its first function contains the number, too.
      const name = `node_register_module_v${modules}`;
      for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at)) {
        bytes.write("node_register_module_v108", at);
      }
      await writeFile(addon, bytes);
      const diagnosed = await run(home, program, "doctor");
      expect(diagnosed.exitCode).toBe(11);
      expect(diagnosed.stdout).toContain("built for another version of Node");
      expect(diagnosed.stdout).toContain(installCommand);
    },
  );
});
