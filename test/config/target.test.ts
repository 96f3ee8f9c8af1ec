import { describe, expect, test } from "vitest";
import { type TargetOptions, resolveTarget } from "../../src/config/target.ts";
import type { Config, Profile } from "../../src/config/profiles.ts";
import type { Runtime } from "../../src/core/runtime.ts";

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
  protections: new Map(),
};

function resolved(options: TargetOptions, env: Record<string, string>, config: Config | undefined) {
  const runtime = { env, folder: "/folder", home: "/home/me" } as unknown as Runtime;
  return resolveTarget(options, runtime, config);
}

const defaultDatabase = "/home/me/.local/share/sendctl/sendctl.db";

describe("flag before environment before profile before default", () => {
  interface Expected {
    readonly baseUrl?: string | undefined;
    readonly secretKey?: string | undefined;
    readonly database?: string;
  }
  const { baseUrl, secretKey } = prod;
  const ofDev = { secretKey: dev.secretKey, database: "/dev.db" };
  const flagUrl = { baseUrl: "https://flag.example.com" };
  const sameUrl = { baseUrl: "HTTPS://PROD.example.com:443/" };
  const envUrl = { SENDCTL_BASE_URL: "https://env.example.com" };
  const envKey = { SENDCTL_SECRET_KEY: "sk_env_00000" };
  const bothKeys = { secretKey: "sk_both_0000", database: "/dev.db" };
  const isDev = "flag profile default profile profile";

  /** Options, variables, what is chosen, and the sources of profile, mode, base URL, key and database. */
  const rows: readonly (readonly [TargetOptions, Record<string, string>, Expected, string])[] = [
    [{ profile: "dev" }, { SENDCTL_PROFILE: "prod" }, ofDev, isDev],
    [{}, { SENDCTL_PROFILE: "dev" }, ofDev, "environment profile default profile profile"],
    [{ profile: "both" }, {}, bothKeys, isDev],
    [
      { profile: "relative" },
      {},
      { database: "/home/me/.config/sendctl/here.db" },
      "flag profile default default profile",
    ],
    [flagUrl, { ...envUrl, ...envKey }, flagUrl, "profile flag flag default default"],
    [
      flagUrl,
      envKey,
      { ...flagUrl, secretKey: "sk_env_00000" },
      "profile flag flag environment default",
    ],
    [
      {},
      envKey,
      { baseUrl, secretKey: "sk_env_00000" },
      "profile profile profile environment default",
    ],
    [sameUrl, {}, { ...sameUrl, secretKey }, "profile flag flag profile default"],
    [{ local: true, profile: "dev" }, {}, ofDev, "flag flag default profile profile"],
    [
      { profile: "dev", database: "other.db" },
      {},
      { database: "/folder/other.db" },
      "flag flag default default flag",
    ],
    [
      { profile: "both", baseUrl: prod.baseUrl! },
      {},
      { baseUrl, database: "/dev.db" },
      "flag flag flag default profile",
    ],
  ];
  test.for(rows)("%j and %j are %j", ([options, env, expected, origins]) => {
    const { sources, ...found } = resolved(options, env, config);
    const unset = { baseUrl: undefined, secretKey: undefined, database: defaultDatabase };
    expect(found).toMatchObject({ ...unset, ...expected });
    const { profile, mode, baseUrl: url, secretKey: key, database: file } = sources;
    expect([profile, mode, url, key, file].join(" ")).toBe(origins);
  });

  test("a profile need not exist if the config is not read", () => {
    expect(resolved({ profile: "new" }, {}, undefined)).toMatchObject({
      profile: "new",
      baseUrl: undefined,
    });
  });
});

test.for([
  [{ profile: "x" }, {}, "x", "--profile"],
  [{}, { SENDCTL_PROFILE: "x" }, "x", "SENDCTL_PROFILE"],
  [{}, {}, "constructor", config.file!],
] as const)(
  "an unknown profile in %j, %j or the config is rejected",
  ([options, env, name, from]) => {
    const error = expect.objectContaining({
      kind: "usage",
      message: `unknown profile "${name}" from ${from} (available: prod, dev, relative, both)`,
    }) as Error;
    expect(() => resolved(options, env, { ...config, current: "constructor" })).toThrow(error);
  },
);
