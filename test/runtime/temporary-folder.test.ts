import { existsSync } from "node:fs";
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
  expect(existsSync(dirname(made.file))).toBe(true);
  await made.remove();
  expect(existsSync(dirname(made.file))).toBe(false);
});
