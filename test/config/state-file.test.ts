import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { applyStateFile, changeState, readState } from "../../src/config/state-file.ts";

const target = { baseUrl: "https://sms.example.com", database: "/db", secretKey: "k" };
const runtime = { env: {}, home: "/home/me" };
const wait = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds);
};

function folder(): string {
  const created = mkdtempSync(join(tmpdir(), "sendctl-state-"));
  onTestFinished(() => rmSync(created, { recursive: true }));
  return created;
}

test("each target and key has a separate file", () => {
  const targets = [
    target,
    { ...target, baseUrl: "https://other.example.com" },
    { ...target, secretKey: "another" },
    { ...target, baseUrl: undefined },
    { ...target, baseUrl: undefined, database: "/other" },
  ];
  expect(new Set(targets.map((one) => applyStateFile(one, runtime))).size).toBe(targets.length);
  expect(applyStateFile({ ...target, baseUrl: `${target.baseUrl}/` }, runtime)).toBe(
    applyStateFile(target, runtime),
  );
});

test.for([
  [{}, "/home/me", "/home/me/.local/state/sendctl/apply"],
  [{ XDG_STATE_HOME: "/state" }, "", "/state/sendctl/apply"],
  [{ XDG_STATE_HOME: "relative" }, "/home/me", "/home/me/.local/state/sendctl/apply"],
] as const)("with %j and the home folder %s, the file is in %s", ([env, home, expected]) => {
  expect(dirname(applyStateFile(target, { env, home })!)).toBe(expected);
});

test("the file is undefined without a home folder", () => {
  expect(applyStateFile(target, { env: {}, home: "" })).toBeUndefined();
});

test("concurrent changes are all stored, in a file that only its owner can read", async () => {
  const file = join(folder(), "apply", "state.json");
  const letters = Array.from("abcdefghijklmnopqrst");
  await Promise.all(letters.map((letter) => changeState(file, (text = "") => text + letter, wait)));
  expect(Array.from(readState(file)!).toSorted()).toStrictEqual(letters);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toStrictEqual(["state.json"]);
  await changeState(file, () => undefined, wait);
  expect(readdirSync(dirname(file))).toStrictEqual([]);
});

test("an unreadable file counts as missing, and an unwritable one is an error", async () => {
  const root = folder();
  expect(readState(join(root, "missing"))).toBeUndefined();
  expect(readState(root)).toBeUndefined();
  writeFileSync(join(root, "file"), "");
  const below = join(root, "file", "apply", "state.json");
  expect(readState(below)).toBeUndefined();
  await expect(changeState(below, () => "text", wait)).rejects.toMatchObject({ code: "ENOTDIR" });
});
