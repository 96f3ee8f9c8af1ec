import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { moveIntoPlace } from "../../../src/engine/sqlite/maintenance/copy-file.ts";
import { replaceDamaged } from "../../../src/engine/sqlite/maintenance/restore.ts";
import { newFolder } from "../support/engine-fixtures.ts";

/** Node, not a module of ours: a file system like exFAT, which cannot be mounted everywhere. */
vi.mock(import("node:fs"), async (original) => ({
  ...(await original()),
  linkSync: () => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  },
}));

describe("on a file system without hard links", () => {
  test("a damaged database is kept beside the one that replaces it", async () => {
    const { folder, file } = await newFolder();
    const copy = join(folder, "copy.db");
    openDatabase(file).close();
    await truncate(file, 8192);
    const damaged = await readFile(file);
    await writeFile(copy, "new");
    const kept = replaceDamaged(file, copy);
    expect(kept).toBe(`${file}.before-restore`);
    expect(await readFile(kept)).toStrictEqual(damaged);
    expect(await readFile(file, "utf8")).toBe("new");
  });

  test("a finished file gets its name, unless another file has it", async () => {
    const { folder, file } = await newFolder();
    const finished = join(folder, "finished.db");
    await writeFile(finished, "new");
    moveIntoPlace(finished, file, false);
    expect(await readFile(file, "utf8")).toBe("new");
    await writeFile(finished, "newer");
    expect(() => moveIntoPlace(finished, file, false)).toThrow("not permitted");
    expect(await readFile(file, "utf8")).toBe("new");
  });
});
