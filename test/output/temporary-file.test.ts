import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { printed, insertGroups, makeHome, test, type Home } from "../support/home.ts";

const count = 6000;

/** More groups than are held in memory. No test changes it. */
let full: Home;
let temporary: string;

beforeAll(async () => {
  full = await makeHome();
  temporary = join(full.folder, "temporary");
  await mkdir(temporary);
  const rows = Array.from({ length: count }, (_, index) => ({
    name: `Group ${index}`,
    message: "message",
  }));
  await insertGroups(full, rows);
}, 30_000);

afterAll(() => rm(full.folder, { recursive: true }));

interface Listing {
  readonly data: { readonly total: number; readonly data: readonly { readonly name: string }[] };
}

describe("a list in a temporary file", () => {
  const all = "sendctl group list --all";

  test("is one envelope, and leaves no file behind", async ({ expect }) => {
    for (const options of [[], ["--search", "Group"], ["--sort", "id:desc"]]) {
      const args = ["group", "list", "--json", ...(options.length === 0 ? ["--all"] : options)];
      const { stdout, stderr, exitCode } = await full.spawn(args, { TMPDIR: temporary });
      const listing = JSON.parse(stdout) as Listing;
      expect(stdout === printed(listing)).toBe(true);
      const { data, total } = listing.data;
      expect({ total, stderr, exitCode }).toStrictEqual({ total: count, stderr: "", exitCode: 0 });
      expect(data.map(({ name }) => name)).toStrictEqual(
        Array.from({ length: count }, (_, index) => `Group ${count - 1 - index}`),
      );
    }
    expect(await readdir(temporary)).toStrictEqual([]);
  });

  test("prints nothing but the error if the file cannot be written", async ({ expect }) => {
    const script = `export TMPDIR='${temporary}'; ulimit -f 100; ${all}`;
    const json = await full.shell(`${script} --json`);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: false, error: { kind: "output" } });
    expect(json.exitCode).toBe(1);
    const table = await full.shell(script);
    expect(table).toMatchObject({ stdout: "", exitCode: 1 });
    expect(table.stderr).toMatch(/^sendctl: cannot write .*\nhint: .*TMPDIR.*\n$/);
    expect(await readdir(temporary)).toStrictEqual([]);
  });

  test("is refused without a folder for temporary files", async ({ expect }) => {
    const { stdout, exitCode } = await full.spawn(["group", "list", "--all"], {
      TMPDIR: join(full.folder, "missing"),
    });
    expect({ stdout, exitCode }).toStrictEqual({ stdout: "", exitCode: 2 });
  });

  test("ends quietly if the reader stops early", async ({ expect }) => {
    for (const format of ["json", "table"]) {
      const script = `set -o pipefail; export TMPDIR='${temporary}'; ${all} -o ${format} | head -c 9`;
      expect(await full.shell(script)).toMatchObject({ stderr: "", exitCode: 0 });
    }
    expect(await readdir(temporary)).toStrictEqual([]);
  });

  test("is not needed for formats that are printed as records arrive", async ({ expect }) => {
    for (const format of ["jsonl", "csv", "yaml", "id"]) {
      const { exitCode } = await full.spawn(["group", "list", "--all", "-o", format], {
        TMPDIR: join(full.folder, "missing"),
      });
      expect(exitCode).toBe(0);
    }
  });
});
