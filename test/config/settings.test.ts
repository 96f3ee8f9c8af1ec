import { expect, test } from "vitest";
import { lenientSettings } from "../../src/config/settings.ts";
import type { Config } from "../../src/config/profiles.ts";
import { SendctlError } from "../../src/core/error.ts";
import { processRuntime } from "../../src/core/runtime.ts";

const config: Config = {
  file: "/etc/sendctl/config.json",
  current: "dev",
  profiles: new Map([["dev", { baseUrl: "https://dev.example.com" }]]),
};

function resolve(env: Readonly<Record<string, string>>, read = (): Config => config) {
  const runtime = { ...processRuntime(), env, home: "/home/me", folder: "/tmp" };
  return lenientSettings({}, runtime, read);
}

test("an invalid variable counts as unset, and its error names it", () => {
  const { settings, errors } = resolve({ SENDCTL_TIMEOUT: "soon", SENDCTL_RETRIES: "many" });
  expect(errors.map(({ setting }) => setting)).toEqual(["SENDCTL_TIMEOUT", "SENDCTL_RETRIES"]);
  expect(settings).toMatchObject({ timeout: 30_000, retries: 2, profile: "dev" });
});

test("an unknown profile in a variable does not select the current one", () => {
  const { settings, errors } = resolve({ SENDCTL_PROFILE: "nope" });
  expect(errors).toMatchObject([{ kind: "usage", setting: "SENDCTL_PROFILE" }]);
  expect(settings).toMatchObject({ profile: "nope", baseUrl: undefined });
});

test("an unreadable config file is ignored, and its error names the file", () => {
  const broken = new SendctlError("usage", "cannot be read", { file: "/etc/sendctl/config.json" });
  const { settings, errors } = resolve({}, () => {
    throw broken;
  });
  expect(errors).toEqual([broken]);
  expect(settings.profile).toBeUndefined();
});
