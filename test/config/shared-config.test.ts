import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { refuseSharedConfig } from "../../src/config/shared-config.ts";
import { openToOthers } from "../../src/doctor/access.ts";
import { test } from "../support/home.ts";

/** A file and a folder with the permission bits that Node reports for all of them on Windows. */
async function openFile(folder: string): Promise<string> {
  const file = join(folder, "sendctl", "config.json");
  await mkdir(dirname(file));
  await writeFile(file, "{}");
  await chmod(file, 0o666);
  await chmod(dirname(file), 0o777);
  return file;
}

test("a config file that anyone can write runs no key command, except on Windows", async ({
  home,
  expect,
}) => {
  const file = await openFile(home.folder);
  for (const system of ["linux", "darwin"] as const) {
    expect(() => refuseSharedConfig(file, system)).toThrow("anyone can write");
  }
  expect(() => refuseSharedConfig(file, "win32")).not.toThrow();
});

test("doctor advises no chmod on Windows", async ({ home, expect }) => {
  const file = await openFile(home.folder);
  for (const system of ["linux", "darwin"] as const) {
    expect(openToOthers(file, true, system)?.fix).toContain(`chmod 600 ${file}`);
  }
  expect(openToOthers(file, true, "win32")).toBeUndefined();
});
