import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { startService } from "../../client/scripted-service.ts";
import { configOf, writeConfig } from "../../support/config-file.ts";
import { dataOf, test, type Home } from "../../support/home.ts";

const url = "https://sms.example.com";

async function write(home: Home, profile: object): Promise<void> {
  await writeConfig(home, { current: "prod", profiles: { prod: profile } });
}

async function storedIn(home: Home, profile = "prod"): Promise<unknown> {
  const { profiles } = JSON.parse(await readFile(configOf(home), "utf8")) as {
    profiles: Record<string, { behaviour?: unknown }>;
  };
  return profiles[profile]?.behaviour;
}

const behaviour = { not_found_status: 422, per_page_default: 15 };

describe.concurrent("the behaviour of a profile", () => {
  test("is stored from a file or standard input, shown, and kept by a rename", async ({
    home,
    expect,
  }) => {
    await write(home, { baseUrl: url, secretKey: "sk_1" });
    await writeFile(join(home.folder, "b.yaml"), "not_found_status: 422\nper_page_default: 15\n");
    const stored = await home.run(["profile", "set-behaviour", "prod", "b.yaml", "--json"]);
    expect(dataOf(stored)).toStrictEqual({ name: "prod", behaviour });
    expect(await storedIn(home)).toStrictEqual(behaviour);
    expect(dataOf(await home.run(["profile", "show", "--json"]))).toMatchObject({
      behaviour: { value: "1 of 2 known switches differs from the engine", from: "profile" },
    });
    await home.run(["profile", "rename", "prod", "live"]);
    expect(await storedIn(home, "live")).toStrictEqual(behaviour);
    await home.run(["logout"]);
    expect(await storedIn(home, "live")).toStrictEqual(behaviour);
    const cleared = await home.run(["profile", "set-behaviour", "live", "--clear"]);
    expect([cleared.exitCode, await storedIn(home, "live")]).toStrictEqual([0, undefined]);
    const text = JSON.stringify(behaviour);
    const input = await home.run(["profile", "set-behaviour", "live", "-"], {}, text);
    expect(input.exitCode, input.stderr).toBe(0);
    expect(await storedIn(home, "live")).toStrictEqual(behaviour);
  });

  test.for([
    ["message", { message: "Taken" }],
    ["error", { error: "Taken" }],
    ["error_message", { error: { message: "Taken" }, data: {} }],
    ["problem", { title: "Conflict", detail: "Taken" }],
    ["problem", { title: "Taken" }],
  ] as const)(
    "says in which form a service refuses with 200: %s",
    async ([error_body, body], { home, expect }) => {
      const service = await startService((_, { respond }) => respond(200, body));
      const known = { error_status: "always_200", error_body };
      await write(home, { baseUrl: service.baseUrl, secretKey: "sk_1", behaviour: known });
      const refused = await home.run(["group", "fetch", "1"]);
      await service.close();
      expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
      expect(refused.stderr).toContain("sendctl: Taken");
    },
  );

  test("is not stored for a database", async ({ home, expect }) => {
    await write(home, { mode: "local" });
    const ran = await home.run(["profile", "set-behaviour", "prod", "-"], {}, "create_status: 200");
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toContain("hint: sendctl serve --behaviour FILE");
    expect(await storedIn(home)).toBeUndefined();
  });

  test("is not shown for another service", async ({ home, expect }) => {
    await write(home, { baseUrl: url, behaviour });
    const shown = await home.run(["profile", "show", "--base-url", `${url}:8443`, "--json"]);
    expect(dataOf(shown)).not.toHaveProperty("behaviour");
  });

  test("is kept by a login to the same service, and not to another one", async ({
    home,
    expect,
  }) => {
    await write(home, { baseUrl: url, behaviour });
    const login = [
      "login",
      "--profile=prod",
      "--no-check",
      "--key-command=echo sk_2",
      "--base-url",
    ];
    await home.run([...login, url]);
    expect(await storedIn(home)).toStrictEqual(behaviour);
    const other = await home.run([...login, "https://other.example.com"]);
    expect(other.exitCode, other.stderr).toBe(0);
    expect(await storedIn(home)).toBeUndefined();
  });

  test.for([
    ["x.yaml", /x\.yaml does not exist/],
    [".", /cannot be read \(EISDIR\)/],
  ] as const)(
    "is not stored from an unreadable file: %s",
    async ([file, line], { home, expect }) => {
      await write(home, { baseUrl: url });
      const ran = await home.run(["profile", "set-behaviour", "prod", file]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toMatch(line);
    },
  );

  test("is not stored from a file with errors, which are located", async ({ home, expect }) => {
    await write(home, { baseUrl: url, behaviour });
    await writeFile(join(home.folder, "b.yaml"), "notfoundstatus: 1\nerror_status: loose\n");
    const ran = await home.run(["profile", "set-behaviour", "prod", "b.yaml", "--json"]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr.split("\n").filter((line) => line.startsWith("b.yaml:"))).toHaveLength(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      error: {
        kind: "usage",
        diagnostics: [
          { file: "b.yaml", line: 1, column: 1 },
          { file: "b.yaml", line: 2, column: 15 },
        ],
      },
    });
    expect(await storedIn(home)).toStrictEqual(behaviour);
  });

  test.for([
    [{ notfoundstatus: 422 }, "profiles.prod.behaviour.notfoundstatus is not a known switch"],
    [
      { not_found_status: 418 },
      "profiles.prod.behaviour.not_found_status must be 404, 400, 410 or 422, not 418",
    ],
    [
      { per_page_max: 20, per_page_default: 50 },
      "profiles.prod.behaviour.per_page_max conflicts with per_page_default",
    ],
    ["slow", "profiles.prod.behaviour must be an object of switches"],
  ] as const)("is refused with its path: %j", async ([invalid, line], { home, expect }) => {
    await write(home, { baseUrl: url, secretKey: "sk_1", behaviour: invalid });
    for (const args of [
      ["group", "list"],
      ["profile", "show"],
    ]) {
      const ran = await home.run(args);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(line);
      expect(ran.stderr).toContain(configOf(home));
    }
  });

  test("makes refusals with status 200 known in the form of its service", async ({
    home,
    expect,
  }) => {
    const service = await startService((_, { respond }) =>
      respond(200, { message: "No such group" }),
    );
    const known = { error_status: "always_200", error_body: "message" };
    const codeWith = async (one: object): Promise<number | undefined> => {
      await write(home, { baseUrl: service.baseUrl, secretKey: "sk_1", behaviour: one });
      return (await home.run(["group", "fetch", "7"])).exitCode;
    };
    expect(await codeWith({})).toBe(10);
    expect(await codeWith(known)).toBe(6);
    const created = await home.run(["group", "create", "VIP"]);
    expect([created.exitCode, created.stderr]).toStrictEqual([
      6,
      expect.stringContaining("No such group"),
    ]);
    expect(service.received).toHaveLength(3);
    await service.close();
  });
});
