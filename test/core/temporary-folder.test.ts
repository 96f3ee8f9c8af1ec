import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeTemporaryFolder } from "../../src/core/temporary-folder.ts";
import { test } from "../support/home.ts";

test("creates a temporary folder below TMPDIR, relative to the folder of the runtime", async ({
  home: { folder },
  expect,
}) => {
  await mkdir(join(folder, "temporary"));
  const created = makeTemporaryFolder("a.db", { env: { TMPDIR: "temporary" }, folder });
  expect(dirname(dirname(created.file))).toBe(join(folder, "temporary"));
  expect(statSync(dirname(created.file)).mode & 0o777).toBe(0o700);
  created.remove();
  expect(existsSync(dirname(created.file))).toBe(false);
});
