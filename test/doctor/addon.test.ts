import { cp, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, vi } from "vitest";
import { test, type Home } from "../support/home.ts";

vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, "../..");
const sqlite = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));

/** Installs the built program with its own copy of the addon. */
async function install(home: Home): Promise<{ readonly addon: string; readonly program: string }> {
  const installed = join(home.folder, "installed");
  const copy = join(installed, "node_modules/better-sqlite3");
  const addon = join(copy, "build/Release/better_sqlite3.node");
  await mkdir(dirname(addon), { recursive: true });
  for (const part of ["bin", "dist"])
    await cp(join(root, part), join(installed, part), { recursive: true });
  await cp(join(root, "package.json"), join(installed, "package.json"));
  for (const part of ["lib", "package.json"]) await symlink(join(sqlite, part), join(copy, part));
  await cp(join(sqlite, "build/Release/better_sqlite3.node"), addon);
  return { addon, program: join(installed, "bin/sendctl.js") };
}

async function run(home: Home, program: string, ...args: string[]) {
  const options = { cwd: home.folder, env: home.env, extendEnv: false, reject: false } as const;
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], options);
  return { exitCode, stdout, stderr };
}

describe.skipIf(process.platform !== "linux")(
  "the addon (skipped where addons are not ELF)",
  () => {
    // Lengths that leave some segments complete, and one that lacks only the last byte.
    test.for([100_000, 1_000_000, -1])(
      "truncated to %i bytes is reported",
      async (length, { home, expect }) => {
        const { addon, program } = await install(home);
        const { byteLength } = await readFile(addon);
        expect((await run(home, program, "group", "create", "Friends")).exitCode).toBe(0);
        await truncate(addon, length < 0 ? byteLength + length : length);
        const listed = await run(home, program, "group", "list", "--json");
        expect(listed.exitCode).toBe(11);
        expect(JSON.parse(listed.stdout)).toMatchObject({
          error: {
            kind: "database",
            hint: expect.stringContaining("npm rebuild better-sqlite3") as string,
          },
        });
        const diagnosed = await run(home, program, "doctor");
        expect(diagnosed.exitCode).toBe(11);
        expect(diagnosed.stdout).toContain("truncated");
      },
    );

    test("built for another Node is reported with that version", async ({ home, expect }) => {
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
      expect(diagnosed.stdout).toContain("built for Node 18");
      expect(diagnosed.stdout).toContain(`NODE_MODULE_VERSION ${modules}`);
      expect(diagnosed.stdout).toContain("npm rebuild better-sqlite3");
    });
  },
);
