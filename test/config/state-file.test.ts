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
  const made = mkdtempSync(join(tmpdir(), "sendctl-state-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test("each target and key has a file of its own", () => {
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
] as const)("with %j and the home %s it is in %s", ([env, home, expected]) => {
  expect(dirname(applyStateFile(target, { env, home })!)).toBe(expected);
});

test("without a home folder there is no file", () => {
  expect(applyStateFile(target, { env: {}, home: "" })).toBeUndefined();
});

test("changes at the same time are all kept, in a file that its owner alone can read", async () => {
  const made = folder();
  const file = join(made, "apply", "state.json");
  const letters = Array.from("abcdefghijklmnopqrst");
  await Promise.all(letters.map((letter) => changeState(file, (text = "") => text + letter, wait)));
  expect(Array.from(readState(file)!).toSorted()).toStrictEqual(letters);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toStrictEqual(["state.json"]);
  await changeState(file, () => undefined, wait);
  expect(readdirSync(dirname(file))).toStrictEqual([]);
});

test("what cannot be read counts as nothing, and what cannot be written is an error", async () => {
  const made = folder();
  expect(readState(join(made, "missing"))).toBeUndefined();
  expect(readState(made)).toBeUndefined();
  writeFileSync(join(made, "file"), "");
  const below = join(made, "file", "apply", "state.json");
  expect(readState(below)).toBeUndefined();
  await expect(changeState(below, () => "text", wait)).rejects.toMatchObject({ code: "ENOTDIR" });
});
