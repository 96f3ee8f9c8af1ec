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

function resolved(options: TargetOptions, env: Record<string, string>, config: Config | undefined) {
  const runtime = { env, folder: "/folder", home: "/home/me" } as unknown as Runtime;
  return resolveTarget(options, runtime, config);
}

const defaultDatabase = "/home/me/.local/share/sendctl/sendctl.db";

describe("flag before environment before profile before default", () => {
  const rows: readonly (readonly [
    options: TargetOptions,
    env: Record<string, string>,
    baseUrl: string | undefined,
    key: string | undefined,
    database: string,
    sources: string,
  ])[] = [
    [
      {},
      {},
      prod.baseUrl,
      prod.secretKey,
      defaultDatabase,
      "profile profile profile profile default",
    ],
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
      defaultDatabase,
      "profile environment environment default default",
    ],
    [
      { baseUrl: "https://flag.example.com" },
      { SENDCTL_BASE_URL: "https://env.example.com", SENDCTL_SECRET_KEY: "sk_env_00000" },
      "https://flag.example.com",
      undefined,
      defaultDatabase,
      "profile flag flag default default",
    ],
    [
      { baseUrl: "https://flag.example.com" },
      { SENDCTL_SECRET_KEY: "sk_env_00000" },
      "https://flag.example.com",
      "sk_env_00000",
      defaultDatabase,
      "profile flag flag environment default",
    ],
    [
      {},
      { SENDCTL_SECRET_KEY: "sk_env_00000" },
      prod.baseUrl,
      "sk_env_00000",
      defaultDatabase,
      "profile profile profile environment default",
    ],
    // The same URL in another form.
    [
      { baseUrl: "HTTPS://PROD.example.com:443/" },
      {},
      "HTTPS://PROD.example.com:443/",
      prod.secretKey,
      defaultDatabase,
      "profile flag flag profile default",
    ],
    [
      { local: true },
      {},
      undefined,
      undefined,
      defaultDatabase,
      "profile flag default default default",
    ],
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
      "/folder/other.db",
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
      const { targetSources, ...found } = resolved(options, env, config);
      expect(found).toMatchObject({ baseUrl, secretKey, database });
      const { profile, mode, baseUrl: url, secretKey: key, database: file } = targetSources;
      expect([profile, mode, url, key, file].join(" ")).toBe(sources);
    });
  }

  test("without profiles, the default database is the target", () => {
    expect(resolved({}, {}, { file: undefined, current: undefined, profiles: new Map() })).toEqual({
      profile: undefined,
      baseUrl: undefined,
      secretKey: undefined,
      database: defaultDatabase,
      databaseUrl: undefined,
      keyCommand: undefined,
      isKeyStored: false,
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

  test("a profile need not exist if the config is not read", () => {
    expect(resolved({ profile: "new" }, {}, undefined)).toMatchObject({
      profile: "new",
      baseUrl: undefined,
    });
  });
});

describe("an unknown profile", () => {
  for (const [options, env, from] of [
    [{ profile: "x" }, {}, "--profile"],
    [{}, { SENDCTL_PROFILE: "x" }, "SENDCTL_PROFILE"],
  ] as const) {
    test(`from ${from} is rejected with a list of the available ones`, () => {
      const error = expect.objectContaining({ kind: "usage", setting: from }) as Error;
      expect(() => resolved(options, env, config)).toThrow(error);
      expect(() => resolved(options, env, config)).toThrow(
        `unknown profile "x" from ${from} (available: prod, dev, relative, both)`,
      );
    });
  }

  test("that the config file selects is rejected with the name of the file", () => {
    expect(() => resolved({}, {}, { ...config, current: "constructor" })).toThrow(
      `unknown profile "constructor" from ${config.file} (available: prod`,
    );
  });
});
