import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeTemporaryFolder } from "../../src/runtime/temporary-folder.ts";
import { test } from "../support/home.ts";

test("a temporary folder is below TMPDIR of the runtime, from its folder", async ({
  home: { folder },
  expect,
}) => {
  await mkdir(join(folder, "temporary"));
  const made = await makeTemporaryFolder("a.db", { env: { TMPDIR: "temporary" }, folder });
  expect(dirname(dirname(made.file))).toBe(join(folder, "temporary"));
  expect(statSync(dirname(made.file)).mode & 0o777).toBe(0o700);
  await made.remove();
  expect(existsSync(dirname(made.file))).toBe(false);
});
