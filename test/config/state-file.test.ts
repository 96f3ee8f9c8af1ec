import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { vi } from "vitest";
import { targetStateFile, lockState, writeState } from "../../src/config/state-file.ts";
import { readOwnFile } from "../../src/core/own-file.ts";
import { test } from "../support/home.ts";

const target = {
  baseUrl: "https://sms.example.com",
  database: "/db",
  secretKey: "k",
  keyCommand: undefined,
};
const runtime = { env: {}, home: "/home/me" };
const shortly = (milliseconds: number) => setTimeout(milliseconds / 20);

test("each target and key has a separate file", ({ expect }) => {
  const targets = [
    target,
    { ...target, baseUrl: "https://other.example.com" },
    { ...target, secretKey: "another" },
    { ...target, baseUrl: undefined },
    { ...target, baseUrl: undefined, database: "/other" },
  ];
  expect(new Set(targets.map((one) => targetStateFile(one, runtime))).size).toBe(targets.length);
  for (const baseUrl of [`${target.baseUrl}/`, "https://SMS.example.com:443"]) {
    expect(targetStateFile({ ...target, baseUrl }, runtime)).toBe(targetStateFile(target, runtime));
  }
});

test.for([
  [{}, "/home/me", "/home/me/.local/state/sendctl/apply"],
  [{ XDG_STATE_HOME: "/state" }, "", "/state/sendctl/apply"],
  [{ XDG_STATE_HOME: "relative" }, "/home/me", "/home/me/.local/state/sendctl/apply"],
] as const)(
  "with %j and the home folder %s, the file is in %s",
  ([env, home, expected], { expect }) => {
    expect(dirname(targetStateFile(target, { env, home })!)).toBe(expected);
  },
);

test("the file is undefined without a home folder", ({ expect }) => {
  expect(targetStateFile(target, { env: {}, home: "" })).toBeUndefined();
});

test("one process at a time changes the file, which only its owner can read", async ({
  home,
  expect,
}) => {
  const file = join(home.folder, "apply", "state.json");
  const letters = Array.from("abcdefghijklmnopqrst");
  const append = async (letter: string): Promise<void> => {
    const release = await lockState(file, async () => {}, shortly);
    const text = readOwnFile(file) ?? "";
    await setTimeout(1);
    writeState(file, text + letter);
    release();
  };
  await Promise.all(letters.map(append));
  expect(Array.from(readOwnFile(file)!).toSorted()).toStrictEqual(letters);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toStrictEqual(["state.json"]);
  writeState(file, undefined);
  expect(readdirSync(dirname(file))).toStrictEqual([]);
});

test("a lock is waited for as long as its owner lives, but only ten minutes", async ({
  home,
  expect,
}) => {
  const file = join(home.folder, "state.json");
  let [now, notes] = [0, 0];
  const note = async (): Promise<void> => void (notes += 1);
  const sleep = async (milliseconds: number): Promise<void> => void (now += milliseconds);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const release = await lockState(file, note, sleep);
  const second = lockState(file, note, sleep);
  const hint = expect.stringContaining(`${file}.lock`) as string;
  await expect(second).rejects.toMatchObject({ kind: "differences", hint });
  expect([Math.floor(now / 60_000), notes]).toStrictEqual([10, 1]);
  release();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(`${file}.lock`, `${pid} ${hostname()} 0`);
  now = 0;
  (await lockState(file, note, sleep))();
  clock.mockRestore();
  expect(now).toBeLessThan(1000);
});

test("a lock stays with a living owner for a minute without a sign of life", async ({
  home,
  expect,
}) => {
  const file = join(home.folder, "state.json");
  const lock = `${file}.lock`;
  let now = 0;
  const wait = async (milliseconds: number): Promise<void> => void (now += milliseconds);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const release = await lockState(file, async () => {}, wait);
  const quiet = new Date(Date.now() - 50_000);
  utimesSync(lock, quiet, quiet);
  const second = lockState(file, async () => {}, wait);
  await expect(second).rejects.toMatchObject({ kind: "differences" });
  const suspended = new Date(Date.now() - 61_000);
  utimesSync(lock, suspended, suspended);
  const third = await lockState(file, async () => {}, wait);
  clock.mockRestore();
  // The first owner does not remove the lock of the next.
  release();
  expect(readdirSync(home.folder)).toContain("state.json.lock");
  third();
  expect(readdirSync(home.folder)).not.toContain("state.json.lock");
});

test("a lock whose folder became unusable is released without an error", async ({
  home,
  expect,
}) => {
  const folder = join(home.folder, "apply");
  const release = await lockState(join(folder, "state.json"), async () => {}, shortly);
  renameSync(folder, join(home.folder, "moved"));
  writeFileSync(folder, "");
  expect(release).not.toThrow();
});

test("an unreadable file counts as missing, and an unwritable one is an error", async ({
  home,
  expect,
}) => {
  const root = home.folder;
  expect(readOwnFile(join(root, "missing"))).toBeUndefined();
  expect(readOwnFile(root)).toBeUndefined();
  writeFileSync(join(root, "file"), "");
  const below = join(root, "file", "apply", "state.json");
  expect(readOwnFile(below)).toBeUndefined();
  const locked = lockState(below, async () => {}, shortly);
  await expect(locked).rejects.toMatchObject({ code: "ENOTDIR" });
});
