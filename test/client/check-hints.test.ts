import { describe, onTestFinished } from "vitest";
import { test, type Home } from "../support/home.ts";
import { writeConfig } from "../support/config-file.ts";
import { run, runAgainst } from "./run-remote.ts";
import { answering, envelope, group, page } from "./sample-responses.ts";
import { startService, type Script } from "./scripted-service.ts";

const notFound = { status: false, message: "Not found", data: null };

const profileKey = "sk_of_the_profile_123456";

/** Starts a service and stores profile `other` for it. */
async function withProfile(home: Home, script: Script, path = "") {
  const service = await startService(script);
  onTestFinished(service.close);
  const other = { baseUrl: `${service.baseUrl}${path}`, secretKey: profileKey };
  await writeConfig(home, { profiles: { other } });
  return service;
}

/** Loses every write, and finds groups by their ids only. */
const losing: Script = ({ method, target }, { hangUp, respond }) => {
  if (method !== "GET") return hangUp();
  const isList = /^\/v1\/[^/]+$/.test(target.replace(/\?.*/, ""));
  if (isList) return respond(200, envelope(page([])));
  const [id] = /\d+$/.exec(target) ?? [];
  return id === undefined ? respond(404, notFound) : respond(200, envelope({ ...group, id }));
};

/** Runs a command with profile `other` and its key. */
function runAsOther(home: Home, args: readonly string[], secretKey = "") {
  const env = { SENDCTL_SECRET_KEY: secretKey };
  return run([...args, "--profile", "other"], { home: home.folder, env });
}

interface Printed {
  readonly error: { readonly kind: string; readonly hint: string | null };
}

function hintOf({ stdout }: { readonly stdout: string }): string | null {
  return (JSON.parse(stdout) as Printed).error.hint;
}

describe("an undecodable response to a write has a hint, too", () => {
  test.for([
    ["group update 1 --name B", 10, "sendctl group fetch 1 --profile other"],
    ["group delete 1 --yes", 10, "sendctl group fetch 1 --profile other"],
    ["group create A", 9, "sendctl group list --name A --profile other"],
  ] as const)("%s", async ([args, exitCode, hint], { home, expect }) => {
    const errors = [{ message: "Forbidden" }];
    await withProfile(home, ({ method }, { respond }) =>
      respond(200, method === "GET" ? envelope({ ...group, id: 1 }) : { data: null, errors }),
    );
    const result = await runAsOther(home, [...args.split(" "), "--json"], "sk_other_0123456789");
    expect(result, result.stderr).toMatchObject({ exitCode });
    expect(hintOf(result)).toBe(hint);
  });
});

describe("the hint of an unknown outcome is a command with the target and the record", () => {
  const cases: readonly (readonly [args: string, hint: string])[] = [
    ["group create A", "sendctl group list --name A --profile other"],
    ["group update 1 --name B", "sendctl group fetch 1 --profile other"],
    ["group delete 1 --yes", "sendctl group fetch 1 --profile other"],
    ["group delete 1 2 3 --yes", "sendctl group fetch 1 2 3 --profile other"],
    ["sender-id create A --purpose B", "sendctl sender-id fetch A --profile other"],
    ["api POST /v1/group --body {}", "sendctl api GET /v1/group --profile other"],
    [
      "group delete 1 --yes --insecure-http",
      "sendctl group fetch 1 --profile other --insecure-http",
    ],
  ];
  test.for(cases)("%s", async ([args, hint], { home, expect }) => {
    await withProfile(home, losing);
    const words = [...args.split(" "), "--retries", "0"];
    const result = await runAsOther(home, words);
    expect(result).toMatchObject({ exitCode: 9 });
    expect(result.stderr).toContain(`\nhint: ${hint}\n`);
    expect(hintOf(await runAsOther(home, [...words, "--json"]))).toBe(hint);
  });

  test("quoted for a shell", async ({ home, expect }) => {
    await withProfile(home, losing);
    const result = await runAsOther(home, ["group", "create", "It's new", "--json"]);
    expect(hintOf(result)).toBe(
      String.raw`sendctl group list --name 'It'\''s new' --profile other`,
    );
  });
});

describe("a rejected key is reported with its source", () => {
  const cases: readonly (readonly [what: string, secretKey: string, source: string])[] = [
    ["a profile", "", "profile other"],
    ["the environment", "sk_of_the_environment_1", "SENDCTL_SECRET_KEY, which overrides profile"],
  ];
  test.for(cases)("%s", async ([, secretKey, source], { home, expect }) => {
    await withProfile(home, answering(401, { ...notFound, message: "No" }));
    for (const args of [
      ["group", "list"],
      ["group", "delete", "1", "--yes"],
      ["api", "GET", "/v1/group"],
    ]) {
      const result = await runAsOther(home, args, secretKey);
      expect(result.exitCode).toBe(3);
      expect(result.stderr).toMatch(/\nhint: [^\n]*sendctl login --profile other/);
      expect(result.stderr).toContain(`the key comes from ${source}`);
      const printed = hintOf(await runAsOther(home, [...args, "--json"], secretKey));
      expect(printed).toContain("sendctl login --profile other");
    }
  });
});

test("a base URL with /v1 is reported as such", async ({ home, expect }) => {
  const script = answering(404, { ...notFound, message: "Unknown path" });
  await withProfile(home, script, "/v1");
  for (const args of [
    ["group", "list"],
    ["group", "create", "A"],
    ["group", "fetch", "1"],
    ["sender-id", "delete", "A", "--yes"],
  ]) {
    expect(hintOf(await runAsOther(home, [...args, "--json"]))).toMatch(/omit \/v1/);
  }
});

describe("a base URL without a scheme is reported with the whole URL", () => {
  const cases: readonly (readonly [text: string, hint: string])[] = [
    ["localhost:4711", "http://localhost:4711"],
    ["127.0.0.1:4555", "http://127.0.0.1:4555"],
    ["localhost", "http://localhost"],
    ["api.example.com", "https://api.example.com"],
    ["api.example.com:8443/sms", "https://api.example.com:8443/sms"],
    ["sms:4711", "https://sms:4711"],
  ];
  test.for(cases)("%s", async ([text, hint], { expect }) => {
    const result = await run(["group", "list", "--base-url", text, "--json"]);
    expect(result.exitCode).toBe(2);
    expect(hintOf(result)).toBe(`write ${hint}`);
  });

  test.for(["user:secret@api.example.com", "nonsense", "ftp://api.example.com"])(
    "but %s is not repeated",
    async (text, { expect }) => {
      const result = await run(["group", "list", "--base-url", text, "--json"]);
      expect(result.exitCode).toBe(2);
      expect(hintOf(result)).not.toContain(text);
    },
  );
});

test("a sender ID that exists is reported with the option that accepts it", async ({ expect }) => {
  const create = ["sender-id", "create", "ACME", "--purpose", "Orders", "--json"];
  const script = answering(409, { ...notFound, message: "Taken" });
  const result = await runAgainst(script, create);
  expect(result).toMatchObject({ exitCode: 5, violations: [] });
  expect(hintOf(result)).toContain("--if-not-exists");
});
