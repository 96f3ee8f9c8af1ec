import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { refuseSharedConfig } from "../../src/config/profiles.ts";
import { openToOthers } from "../../src/doctor/check.ts";
import { test } from "../support/home.ts";

/** A config file in a folder of its own, which only the owner can write. */
async function configIn(folder: string): Promise<string> {
  const file = join(folder, "parent", "sendctl", "config.json");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, "{}", { mode: 0o600 });
  return file;
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

test("a config file that others can write or replace runs no key command, except on Windows", async ({
  home,
  expect,
}) => {
  const file = await configIn(home.folder);
  const folder = dirname(file);
  const link = join(home.folder, "link.json");
  await symlink(file, link);
  expect(() => refuseSharedConfig(file)).not.toThrow();
  for (const [path, mode] of [
    [file, 0o602],
    [file, 0o620],
    [folder, 0o702],
    [folder, 0o720],
  ] as const) {
    await chmod(path, mode);
    for (const config of [file, link]) {
      for (const system of ["linux", "darwin"] as const) {
        const check = expect(() => refuseSharedConfig(config, system));
        check.toThrow(`${path} is writable by other users`);
      }
      expect(() => refuseSharedConfig(config, "win32")).not.toThrow();
    }
    await chmod(path, 0o700);
  }
});

test("a config file of another user runs no key command", async ({ home, expect }) => {
  const file = await configIn(home.folder);
  const link = join(home.folder, "link");
  await symlink(dirname(dirname(file)), link);
  const linked = join(link, "sendctl", "config.json");
  expect(() => refuseSharedConfig(linked)).not.toThrow();
  // Files of root are always accepted, so root gives one away, and another user compares with somebody else.
  if (isRoot) await chown(dirname(file), nobody, 0);
  const caller = isRoot ? 0 : process.getuid!() + 1;
  for (const path of [file, linked]) {
    expect(() => refuseSharedConfig(path, "linux", caller)).toThrow("belongs to another user");
  }
});

test("doctor advises no chmod on Windows", async ({ home, expect }) => {
  const file = await configIn(home.folder);
  await chmod(file, 0o666);
  for (const system of ["linux", "darwin"] as const) {
    expect(openToOthers(file, system)?.fix).toContain(`chmod 600 ${file}`);
  }
  expect(openToOthers(file, "win32")).toBeUndefined();
});
