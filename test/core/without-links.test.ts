import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { moveIntoPlace } from "../../src/core/own-file.ts";
import { newFolder } from "../engine/support/engine-fixtures.ts";

/** Node, not a module of ours: a file system like exFAT, which cannot be mounted everywhere. */
vi.mock(import("node:fs"), async (original) => ({
  ...(await original()),
  linkSync: () => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  },
}));

test("on a file system without hard links, a finished file gets its name unless another file has it", async () => {
  const { folder, file } = await newFolder();
  const finished = join(folder, "finished.db");
  await writeFile(finished, "new");
  moveIntoPlace(finished, file, false);
  expect(await readFile(file, "utf8")).toBe("new");
  await writeFile(finished, "newer");
  expect(() => moveIntoPlace(finished, file, false)).toThrow("EEXIST");
  expect(await readFile(file, "utf8")).toBe("new");
});
