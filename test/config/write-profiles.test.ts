import { readdirSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfig, type Config } from "../../src/config/profiles.ts";
import { changeConfig } from "../../src/config/write-profiles.ts";
import { test as atHome } from "../support/home.ts";

const test = atHome.extend<{ file: string }>({
  file: async ({ home }, use) => use(join(home.folder, "config.json")),
});

const before = '{"current": "a", "profiles": {"a": {"mode": "local"}}}';

const noWait = (): Promise<void> => Promise.reject(new Error("Unexpected wait"));

function fail(): never {
  throw new Error("failed");
}

const useNone = (config: Config): Config => ({ ...config, current: undefined });

test("a change is written with access only for the owner", async ({ file, expect }) => {
  await writeFile(file, before);
  await changeConfig(file, useNone, noWait);
  const { current, profiles } = readConfig(file);
  expect(current).toBeUndefined();
  expect([...profiles]).toEqual([["a", { mode: "local" }]]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, ".."))).toEqual(["config.json"]);
});

test("the file is unchanged if a change fails", async ({ file, expect }) => {
  await writeFile(file, before);
  await expect(changeConfig(file, fail, noWait)).rejects.toThrow("failed");
  expect(await readFile(file, "utf8")).toBe(before);
  expect(readdirSync(join(file, ".."))).toEqual(["config.json"]);
});

test("a file that cannot be written is named, with the reason", async ({ home, expect }) => {
  await writeFile(join(home.folder, "taken"), "");
  const inFile = join(home.folder, "taken", "config.json");
  await expect(changeConfig(inFile, useNone, noWait)).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(/taken\/config\.json cannot be written \(E(?:NOTDIR|EXIST)\)$/),
    details: { file: inFile },
  });
});
