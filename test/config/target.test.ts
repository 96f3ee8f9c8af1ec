import { describe, expect, test } from "vitest";
import type { TargetOptions } from "../../src/config/choose-target.ts";
import { resolveTarget } from "../../src/config/target.ts";
import type { Config, Profile } from "../../src/config/profiles.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

const prod: Profile = { baseUrl: "https://prod.example.com", secretKey: "sk_prod_0000" };
const dev: Profile = { mode: "local", database: "/dev.db", secretKey: "sk_dev_00000" };
const config: Config = {
  file: "/home/me/.config/sendctl/config.json",
  current: "prod",
  profiles: new Map([
    ["prod", prod],
    ["dev", dev],
    ["relative", { mode: "local", database: "here.db" }],
    ["both", { ...prod, ...dev, secretKey: "sk_both_0000" }],
  ]),
};

function place(options: TargetOptions, env: Record<string, string>, consulted: Config | undefined) {
  const runtime = { env, folder: "/place", home: "/home/me" } as unknown as Runtime;
  return resolveTarget(options, runtime, consulted);
}

const usual = "/home/me/.local/share/sendctl/sendctl.db";

describe("flag before environment before profile before default", () => {
  const rows: readonly (readonly [
    options: TargetOptions,
    env: Record<string, string>,
    baseUrl: string | undefined,
    key: string | undefined,
    database: string,
    sources: string,
  ])[] = [
    [{}, {}, prod.baseUrl, prod.secretKey, usual, "profile profile profile profile default"],
    [
      { profile: "dev" },
      { SENDCTL_PROFILE: "prod" },
      undefined,
      dev.secretKey,
      "/dev.db",
      "flag profile default profile profile",
    ],
    [
      {},
      { SENDCTL_PROFILE: "dev" },
      undefined,
      dev.secretKey,
      "/dev.db",
      "environment profile default profile profile",
    ],
    [
      { profile: "both" },
      {},
      undefined,
      "sk_both_0000",
      "/dev.db",
      "flag profile default profile profile",
    ],
    [
      { profile: "relative" },
      {},
      undefined,
      undefined,
      "/home/me/.config/sendctl/here.db",
      "flag profile default default profile",
    ],
    [
      {},
      { SENDCTL_BASE_URL: "https://env.example.com" },
      "https://env.example.com",
      undefined,
      usual,
      "profile environment environment default default",
    ],
    [
      { baseUrl: "https://flag.example.com" },
      { SENDCTL_BASE_URL: "https://env.example.com", SENDCTL_SECRET_KEY: "sk_env_00000" },
      "https://flag.example.com",
      undefined,
      usual,
      "profile flag flag default default",
    ],
    [
      { baseUrl: "https://flag.example.com" },
      { SENDCTL_SECRET_KEY: "sk_env_00000" },
      "https://flag.example.com",
      "sk_env_00000",
      usual,
      "profile flag flag environment default",
    ],
    [
      {},
      { SENDCTL_SECRET_KEY: "sk_env_00000" },
      prod.baseUrl,
      "sk_env_00000",
      usual,
      "profile profile profile environment default",
    ],
    // The same address, written otherwise.
    [
      { baseUrl: "HTTPS://PROD.example.com:443/" },
      {},
      "HTTPS://PROD.example.com:443/",
      prod.secretKey,
      usual,
      "profile flag flag profile default",
    ],
    [{ local: true }, {}, undefined, undefined, usual, "profile flag default default default"],
    [
      { local: true, profile: "dev" },
      {},
      undefined,
      dev.secretKey,
      "/dev.db",
      "flag flag default profile profile",
    ],
    [
      { profile: "dev", database: "other.db" },
      {},
      undefined,
      undefined,
      "/place/other.db",
      "flag flag default default flag",
    ],
    [
      { profile: "dev" },
      { SENDCTL_DATABASE: "/env.db" },
      undefined,
      dev.secretKey,
      "/dev.db",
      "flag profile default profile profile",
    ],
    [
      {},
      { SENDCTL_PROFILE: "dev", SENDCTL_DATABASE: "/env.db" },
      undefined,
      undefined,
      "/env.db",
      "environment environment default default environment",
    ],
    [
      { profile: "dev" },
      { SENDCTL_BASE_URL: "https://env.example.com" },
      undefined,
      dev.secretKey,
      "/dev.db",
      "flag profile default profile profile",
    ],
    [
      { profile: "both", baseUrl: prod.baseUrl! },
      {},
      prod.baseUrl,
      undefined,
      "/dev.db",
      "flag flag flag default profile",
    ],
  ];
  for (const [options, env, baseUrl, secretKey, database, sources] of rows) {
    test(`${JSON.stringify(options)} and ${JSON.stringify(env)}`, () => {
      const { targetSources, ...found } = place(options, env, config);
      expect(found).toMatchObject({ baseUrl, secretKey, database });
      const { profile, mode, baseUrl: url, secretKey: key, database: file } = targetSources;
      expect([profile, mode, url, key, file].join(" ")).toBe(sources);
    });
  }

  test("without a config everything is as it was", () => {
    expect(place({}, {}, { file: undefined, current: undefined, profiles: new Map() })).toEqual({
      profile: undefined,
      baseUrl: undefined,
      secretKey: undefined,
      database: usual,
      databaseUrl: undefined,
      keyCommand: undefined,
      withheldKey: undefined,
      keyBelongsTo: undefined,
      targetSources: {
        profile: "default",
        mode: "default",
        baseUrl: "default",
        secretKey: "default",
        database: "default",
      },
    });
  });

  test("where it is not consulted a profile need not be there", () => {
    expect(place({ profile: "new" }, {}, undefined)).toMatchObject({
      profile: "new",
      baseUrl: undefined,
    });
  });
});

describe("a profile that is not there", () => {
  for (const [options, env, from] of [
    [{ profile: "x" }, {}, "--profile"],
    [{}, { SENDCTL_PROFILE: "x" }, "SENDCTL_PROFILE"],
  ] as const) {
    test(`by ${from} is refused with those there are`, () => {
      const error = expect.objectContaining({ kind: "usage", setting: from }) as Error;
      expect(() => place(options, env, config)).toThrow(error);
      expect(() => place(options, env, config)).toThrow(
        `unknown profile "x" from ${from} (available: prod, dev, relative, both)`,
      );
    });
  }

  test("names the config file as its source", () => {
    expect(() => place({}, {}, { ...config, current: "constructor" })).toThrow(
      `unknown profile "constructor" from ${config.file} (available: prod`,
    );
  });
});
