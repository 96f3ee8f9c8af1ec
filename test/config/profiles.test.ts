import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { configFile, readConfig } from "../../src/config/profiles.ts";
import { SendctlError } from "../../src/core/error.ts";

const folder = await mkdtemp(join(tmpdir(), "sendctl-config-"));
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function fileOf(text: string): Promise<string> {
  files += 1;
  const file = join(folder, `${files}.json`);
  await writeFile(file, text);
  return file;
}

function thrownBy(file: string): SendctlError {
  try {
    readConfig(file);
  } catch (error) {
    if (error instanceof SendctlError) return error;
  }
  throw new Error("no failure");
}

test("a config file may begin with a byte order mark", async () => {
  const text = '\ufeff{"current": "prod", "profiles": {"prod": {"mode": "local"}}}';
  const file = await fileOf(text);
  expect(readConfig(file).current).toBe("prod");
  await writeFile(file, text, "utf16le");
  expect(readConfig(file).current).toBe("prod");
  await writeFile(file, text.replace("prod", "Z\u00fcrich"), "latin1");
  expect(thrownBy(file).message).toContain("is not UTF-8");
});

function at(folder: string | undefined, home = "/home/me"): string | undefined {
  return configFile({ env: { XDG_CONFIG_HOME: folder }, home });
}

describe("the config file", () => {
  test("is in XDG_CONFIG_HOME, unless that is relative", () => {
    expect(at("/elsewhere")).toBe("/elsewhere/sendctl/config.json");
    for (const folder of [undefined, "", "relative"]) {
      expect(at(folder)).toBe("/home/me/.config/sendctl/config.json");
      expect(at(folder, "")).toBeUndefined();
    }
  });

  test("can be missing", () => {
    for (const file of [undefined, join(folder, "none", "config.json")]) {
      const none = { file, current: undefined, profiles: new Map(), protections: new Map() };
      expect(readConfig(file)).toEqual(none);
    }
  });

  test("can use any word as the name of a profile", async () => {
    const text = '{"current": "a", "profiles": {"a": {}, "__proto__": {"mode": "local"}}}';
    const { current, profiles } = readConfig(await fileOf(text));
    expect(current).toBe("a");
    expect([...profiles]).toEqual([
      ["a", {}],
      ["__proto__", { mode: "local" }],
    ]);
  });

  const key = "sk_very_secret_0001";
  const whole = JSON.stringify({ profiles: { a: { baseUrl: "https://x", secretKey: key } } });
  const invalid: readonly (readonly [text: string, message: string])[] = [
    ["", "is empty"],
    [" \n", "is empty"],
    [whole.slice(0, -3), "is not valid JSON"],
    [whole.replace('"', ""), "is not valid JSON"],
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ['"text"', "must be a JSON object"],
    ['{"current": 1}', "current must be"],
    ['{"profiles": []}', "profiles must be"],
    ['{"profile": {}}', "profile is not a known field"],
    ['{"profiles": {"a": null}}', "profiles.a must be"],
    ['{"profiles": {"a": {"baseUrl": 1}}}', "profiles.a.baseUrl must be"],
    ['{"profiles": {"a": {"baseURL": "x"}}}', "profiles.a.baseURL is not a known field"],
    ['{"profiles": {"a": {"mode": "remote"}}}', "profiles.a.mode can only be"],
    ['{"profiles": {"a": {"database": ""}}}', "profiles.a.database must be"],
    [whole.replace(key, `${key} x`), "profiles.a.secretKey must be"],
  ];
  for (const [text, message] of invalid) {
    test(`with the text ${JSON.stringify(text)} is rejected and not quoted`, async () => {
      const file = await fileOf(text);
      const failure = thrownBy(file);
      expect(failure).toMatchObject({
        kind: "usage",
        details: { file },
        hint: expect.any(String) as unknown,
      });
      expect(failure.message).toContain(message);
      // The errors of JSON.parse quote the text.
      expect(`${failure.message} ${String(failure.cause)}`).not.toContain("sk_very");
    });
  }

  test("over 1 MiB is rejected and not read", async () => {
    const file = await fileOf(whole);
    await truncate(file, 2 ** 33);
    expect(thrownBy(file)).toMatchObject({ kind: "usage", details: { file } });
  });

  test("that is a device or a pipe is rejected and not read", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const file of [pipe, "/dev/zero"]) {
      expect(thrownBy(file)).toMatchObject({ kind: "usage", details: { file } });
    }
  });

  test("that is a folder is rejected", async () => {
    const file = join(folder, "folder");
    await mkdir(file);
    expect(thrownBy(file)).toMatchObject({ kind: "usage", details: { file } });
  });
});
