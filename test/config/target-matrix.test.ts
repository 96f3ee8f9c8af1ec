import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { startService } from "../client/scripted-service.ts";
import { writeConfig } from "../support/config-file.ts";
import { dataOf, test, type Home } from "../support/home.ts";

const none = {} as const;
type Sources = Readonly<Record<string, string>>;

/** Starts a service that rejects every key, and notes requests with theirs, until the end of the test. */
async function startRejecting() {
  const sent: string[] = [];
  const { baseUrl, close } = await startService(({ target, headers }, { respond }) => {
    sent.push(`${target} ${headers["authorization"]}`);
    respond(401, { status: false, message: "No", data: null });
  });
  onTestFinished(close);
  return { baseUrl, sent };
}

/** Writes the profiles `prod` of the service and `dev` of a database file. */
async function configure(home: Home, baseUrl: string, current: string | undefined): Promise<void> {
  const prod = { baseUrl, secretKey: "sk_of_the_profile" };
  const dev = { mode: "local", database: join(home.folder, "profile.db") };
  await writeConfig(home, { current, profiles: { prod, dev } });
}

/** Returns the expected target, by an independent implementation of the documented rules. */
function expected(flags: Sources, env: Sources, configured: string | undefined): string {
  const current = env["SENDCTL_PROFILE"] ?? configured;
  if ("--base-url" in flags) {
    return "--database" in flags || "--local" in flags ? "contradiction" : "flag url";
  }
  if ("--database" in flags) {
    return flags["--profile"] === "prod" ? "contradiction" : "flag.db";
  }
  const database = "SENDCTL_DATABASE" in env ? "variable.db" : "default";
  if ("--local" in flags)
    return current === "dev" && database === "default" ? "profile.db" : database;
  if (flags["--profile"] === "prod") return "profile url";
  if (flags["--profile"] === "dev") return "profile.db";
  if ("SENDCTL_BASE_URL" in env) return "variable url";
  if ("SENDCTL_DATABASE" in env) return database;
  if (current === undefined) return database;
  return current === "prod" ? "profile url" : "profile.db";
}

const flagRows: readonly Sources[] = [
  none,
  { "--local": "" },
  { "--database": "flag.db" },
  { "--base-url": "/flag" },
  { "--profile": "prod" },
  { "--profile": "dev" },
  { "--database": "flag.db", "--base-url": "/flag" },
  { "--local": "", "--base-url": "/flag" },
  { "--database": "flag.db", "--profile": "prod" },
  { "--database": "flag.db", "--profile": "dev" },
];
const variableRows: readonly Sources[] = [
  none,
  { SENDCTL_DATABASE: "variable.db" },
  { SENDCTL_BASE_URL: "/variable" },
  { SENDCTL_DATABASE: "variable.db", SENDCTL_BASE_URL: "/variable" },
  { SENDCTL_PROFILE: "dev" },
  { SENDCTL_DATABASE: "variable.db", SENDCTL_PROFILE: "prod" },
];

describe("flag, variable, profile and default", () => {
  for (const current of [undefined, "dev", "prod"]) {
    test(`choose one target with the current profile ${current}`, async ({ home, expect }) => {
      const { baseUrl, sent } = await startRejecting();
      await configure(home, `${baseUrl}/profile`, current);
      for (const name of ["flag.db", "variable.db", "profile.db", "default"]) {
        const option = name === "default" ? ["--local"] : [`--database=${name}`];
        const env = { SENDCTL_PROFILE: "", HOME: join(home.folder, "nobody") };
        await home.run(["group", "create", name, ...option], env);
      }
      for (const flags of flagRows) {
        for (const variables of variableRows) {
          const wanted = expected(flags, variables, current);
          const absolute = (value: string): string =>
            value.startsWith("/") ? `${baseUrl}${value}` : value;
          const args = Object.entries(flags).flatMap(([name, value]) =>
            value === "" ? [name] : [name, absolute(value)],
          );
          const env = Object.fromEntries(
            Object.entries(variables).map(([name, value]) => [name, absolute(value)]),
          );
          sent.length = 0;
          const outcome = await home.run(["group", "list", "--json", ...args], env);
          const found = {
            flags,
            variables,
            exitCode: outcome.exitCode,
            sent: [...sent],
            names:
              outcome.exitCode === 0
                ? (dataOf(outcome) as { data: { name: string }[] }).data.map(({ name }) => name)
                : [],
          };
          const row = { flags, variables, sent: [], names: [] as string[] };
          if (wanted === "contradiction") expect(found).toStrictEqual({ ...row, exitCode: 2 });
          else if (wanted === "profile url") {
            const request = "/profile/v1/group Bearer sk_of_the_profile";
            expect(found).toStrictEqual({ ...row, exitCode: 3, sent: [request] });
            // The key of a profile is not sent to another target, and nothing is sent without a key.
          } else if (wanted.endsWith(" url")) expect(found).toStrictEqual({ ...row, exitCode: 3 });
          else expect(found).toStrictEqual({ ...row, exitCode: 0, names: [wanted] });
        }
      }
    });
  }
});

describe("SENDCTL_SECRET_KEY", () => {
  const key = "sk_of_the_environment";

  test("is used only for SENDCTL_BASE_URL if that is set", async ({ home, expect }) => {
    const { baseUrl, sent } = await startRejecting();
    await configure(home, `${baseUrl}/profile`, undefined);
    const env = { SENDCTL_BASE_URL: `${baseUrl}/variable`, SENDCTL_SECRET_KEY: key };
    const list = ["group", "list"];
    await home.run(list, env);
    await home.run([...list, "--profile", "prod"], env);
    const other = await home.run([...list, "--base-url", `${baseUrl}/flag`], env);
    expect(other.exitCode).toBe(3);
    expect(other.stderr).toContain(env.SENDCTL_BASE_URL);
    await home.run([...list, "--base-url", `${baseUrl}/flag`], { SENDCTL_SECRET_KEY: key });
    expect(sent).toStrictEqual([
      `/variable/v1/group Bearer ${key}`,
      "/profile/v1/group Bearer sk_of_the_profile",
      `/flag/v1/group Bearer ${key}`,
    ]);
  });

  test("of a service selects its integration in the database that issued it", async ({
    home,
    expect,
  }) => {
    await home.run(["local", "integration", "create", "staging"]);
    const created = await home.run([
      "local",
      "key",
      "create",
      "--integration",
      "staging",
      "--json",
    ]);
    const { secret_key } = dataOf(created) as { secret_key: string };
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:9", SENDCTL_SECRET_KEY: secret_key };
    expect((await home.run(["group", "create", "Theirs", "--local"], env)).exitCode).toBe(0);
    const listed = await home.run(["local", "integration", "list", "-o", "csv"]);
    expect(listed.stdout).toMatch(/^2,staging,0,1,/m);
  });

  test("of a service is ignored by a database that did not issue it", async ({ home, expect }) => {
    await home.run(["group", "create", "Mine"]);
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:9", SENDCTL_SECRET_KEY: key };
    const listed = await home.run(["group", "list", "--local", "--json"], env);
    expect(listed.exitCode).toBe(0);
    expect(dataOf(listed)).toMatchObject({ total: 1 });
    expect(listed.stderr).toContain("SENDCTL_SECRET_KEY belongs to http://127.0.0.1:9");
    const alone = await home.run(["group", "list", "--local"], { SENDCTL_SECRET_KEY: key });
    expect(alone.exitCode).toBe(3);
    const other = await home.run(["group", "list", "--base-url", "http://127.0.0.1:8"], env);
    expect(other.exitCode).toBe(3);
    expect(other.stderr).toContain("hint: SENDCTL_SECRET_KEY is for http://127.0.0.1:9: set ");
  });
});
