import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { envelope, page } from "../client/sample-responses.ts";
import { startProxy } from "../client/proxy-server.ts";
import { startService, type Conversation } from "../client/scripted-service.ts";
import { authority, startTlsService } from "../client/tls-service.ts";
import { diagnose, key } from "./doctor-case.ts";
import { writeConfig } from "../support/config-file.ts";
import { errorOf, type Home } from "../support/home.ts";
import { freePort } from "../support/ports.mjs";
import { test } from "../support/serving.ts";

const client = { SENDCTL_SECRET_KEY: key };
const empty = envelope(page([]));

/** Diagnoses a service that responds to every request in the same way, and returns the requests as well. */
async function diagnoseService(
  home: Home,
  answer: (conversation: Conversation) => void,
  env: Readonly<Record<string, string>> = client,
  args: readonly string[] = [],
) {
  const service = await startService((_, conversation) => answer(conversation));
  try {
    const diagnosis = await diagnose(home, ["--base-url", service.baseUrl, ...args], env);
    return { ...diagnosis, received: service.received };
  } finally {
    await service.close();
  }
}

test("a healthy service passes", async ({ home, serve, expect }) => {
  const server = await serve();
  const ran = await diagnose(home, [], server.client);
  expect(ran).toMatchObject({ exitCode: 0, notOk: [], stderr: "No problems found\n" });
  expect(ran.stdout).not.toContain(server.key!);
  expect(ran.checks.map(({ name }) => name).slice(-3)).toStrictEqual([
    "proxy",
    "base URL",
    "key accepted",
  ]);
});

test("sends one request with the key in its header, and shows its last four characters", async ({
  home,
  expect,
}) => {
  const ran = await diagnoseService(home, ({ respond }) => respond(200, empty));
  expect(ran.notOk).toStrictEqual([]);
  expect(ran.received.map(({ method, target }) => `${method} ${target}`)).toStrictEqual([
    "GET /v1/sender-id?perPage=1",
  ]);
  expect(ran.received[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
  expect(ran.check("key")?.detail).toBe("from SENDCTL_SECRET_KEY, ends in 4b60");
});

test("a key that is rejected or missing is replaced in its own profile", async ({
  home,
  expect,
}) => {
  const service = await startService((_, { respond }) => respond(401, refusal("revoked")));
  const profiles = {
    prod2: { baseUrl: service.baseUrl, secretKey: key },
    none: { baseUrl: service.baseUrl },
    command: { baseUrl: service.baseUrl, keyCommand: "false" },
  };
  await writeConfig(home, { current: "other", profiles: { other: {}, ...profiles } });
  for (const [profile, name] of [
    ["prod2", "key accepted"],
    ["none", "key"],
    ["command", "key"],
  ] as const) {
    const { check } = await diagnose(home, ["--profile", profile], {});
    expect(check(name)).toMatchObject({ status: "error" });
    expect(check(name)?.fix).toContain(`sendctl login --profile ${profile}`);
    for (const command of [["group", "list"], ["probe"]]) {
      const refused = await home.run([...command, "--profile", profile, "--json"]);
      expect(refused.exitCode).toBe(3);
      expect(errorOf(refused).hint).toContain(`sendctl login --profile ${profile}`);
    }
  }
  await service.close();
});

function refusal(message: string): object {
  return { status: false, message, data: null };
}

describe("a service with unexpected responses", () => {
  test.for([
    ["rejects the key", 401, refusal(`Unknown key ${key}`), 3, ["key accepted: error"]],
    ["forbids access", 403, "no", 3, ["key accepted: error"]],
    ["limits the rate", 429, refusal("Slow down"), 0, ["key accepted: warning"]],
    ["limits the rate at a gateway", 429, "<h1>slow</h1>", 0, ["key accepted: warning"]],
    ["fails", 500, refusal("Oops"), 8, ["base URL: error", "key accepted: warning"]],
    ["is down", 503, "<h1>down</h1>", 8, ["base URL: error", "key accepted: warning"]],
    ["lacks the path", 404, "nothing", 10, ["base URL: error", "key accepted: warning"]],
    ["responds with HTML", 200, "<h1>Hello</h1>", 10, ["base URL: error", "key accepted: warning"]],
    ["refuses with a 200", 200, refusal("No"), 6, ["base URL: error", "key accepted: warning"]],
    ["refuses with a 422", 422, refusal("No"), 6, ["base URL: error", "key accepted: warning"]],
  ] as const)("%s", async ([, status, body, exitCode, notOk], { home, expect }) => {
    const ran = await diagnoseService(home, ({ respond }) => respond(status, body));
    expect({ exitCode: ran.exitCode, notOk: ran.notOk }).toStrictEqual({ exitCode, notOk });
    expect(ran.received).toHaveLength(status === 404 ? 2 : 1);
  });

  test.for([
    ["redirects to them", 301, "", 200, empty, 10, []],
    ["lacks the others", 404, "<h1>Not Found</h1>", 200, empty, 10, []],
    [
      "rejects the key at them",
      404,
      "",
      401,
      { detail: "Invalid token." },
      10,
      ["key accepted: error"],
    ],
  ] as const)(
    "has paths that end with a slash: %s",
    async ([, status, body, slashed, list, exitCode, notOk], { home, expect }) => {
      const service = await startService(({ target }, { respond }) => {
        if (target === "/v1/sender-id/?perPage=1") respond(slashed, list);
        else respond(status, body, status === 301 ? { Location: "/v1/sender-id/" } : {});
      });
      const ran = await diagnose(home, ["--base-url", service.baseUrl], client);
      await service.close();
      expect(ran).toMatchObject({ exitCode, notOk: ["base URL: error", ...notOk] });
      expect(ran.check("base URL")?.detail).toContain(
        "has its lists at paths that end with a slash, unlike the specification",
      );
      expect(ran.check("base URL")?.fix).toContain("let the service respond at /v1/sender-id");
    },
  );

  test("is not one with slashes because a gateway or a page responds there", async ({
    home,
    expect,
  }) => {
    for (const [status, body] of [
      [401, "<h1>Login</h1>"],
      [200, "<h1>Hello</h1>"],
      [404, refusal("No")],
      [503, refusal("No")],
    ] as const) {
      const service = await startService(({ target }, { respond }) =>
        target.includes("/?") ? respond(status, body) : respond(404, ""),
      );
      const ran = await diagnose(home, ["--base-url", service.baseUrl], client);
      await service.close();
      expect(ran).toMatchObject({ exitCode: 10 });
      expect(ran.check("base URL")?.detail).toContain("(HTTP 404)");
    }
  });

  test("redirects, with control characters", async ({ home, expect }) => {
    const location = "https://elsewhere.example/\u009b2J";
    const ran = await diagnoseService(home, ({ respond }) =>
      respond(301, "", { Location: location }),
    );
    expect(ran.exitCode).toBe(10);
    expect(ran.check("base URL")?.detail).toContain("https://elsewhere.example");
    // oxlint-disable-next-line no-control-regex -- these must not be printed
    expect(ran.stdout).not.toMatch(/[\u0080-\u009f\u001b]/);
  });

  test("does not speak HTTP", async ({ home, expect }) => {
    const ran = await diagnoseService(home, ({ end }) => end("SSH-2.0-OpenSSH_9.2\r\n"));
    expect(ran.exitCode).toBe(10);
  });

  test("does not respond within --timeout", async ({ home, expect }) => {
    const args = ["--timeout", "200ms", "--retries", "9"];
    const ran = await diagnoseService(home, () => {}, client, args);
    expect(ran.exitCode).toBe(8);
    expect(ran.check("base URL")?.detail).toContain("no response within 0.2 s");
  });
});

describe("an unreachable service", () => {
  test("closes the connection without a response", async ({ home, expect }) => {
    const { check } = await diagnoseService(home, ({ hangUp }) => hangUp());
    expect(check("base URL")).toMatchObject({
      detail: expect.stringContaining("closed the connection") as string,
      fix: expect.stringContaining("write https://") as string,
    });
  });

  test.for([
    ["refuses connections", "http://127.0.0.1:PORT", "refused the"],
    [
      "has an unknown host name",
      "https://nowhere.invalid",
      "could not resolve host nowhere.invalid",
    ],
  ] as const)("%s", async ([, url, says], { home, expect }) => {
    const baseUrl = url.replace("PORT", String(await freePort()));
    const ran = await diagnose(home, ["--base-url", baseUrl], client);
    expect(ran).toMatchObject({
      exitCode: 8,
      notOk: ["base URL: error", "key accepted: warning"],
    });
    expect(ran.check("base URL")?.detail).toContain(says);
  });

  test.for([
    ["self-signed", undefined, /self-signed/, /NODE_EXTRA_CA_CERTS/],
    ["service", undefined, /untrusted authority/, /NODE_EXTRA_CA_CERTS/],
    ["expired", authority, /expired/, /./],
    ["other-name", authority, /another name/, /./],
  ] as const)(
    "has an invalid certificate: %s",
    async ([certificate, trusted, detail, fix], { home, expect }) => {
      const service = await startTlsService(certificate);
      const base = ["--base-url", `https://localhost:${service.port}`];
      const env = trusted === undefined ? client : { ...client, NODE_EXTRA_CA_CERTS: trusted };
      const ran = await diagnose(home, base, env);
      await service.close();
      expect(ran.exitCode).toBe(8);
      expect(ran.check("base URL")?.detail).toMatch(detail);
      expect(ran.check("base URL")?.fix).toMatch(fix);
      expect(service.received).toStrictEqual([]);
    },
  );

  test.for([
    ["ftp://example.com", /is invalid/],
    ["http://example.com", /unencrypted/],
    ["https://user:hunter2hunter2@example.com", /user name or password/],
  ] as const)("has the invalid base URL %s", async ([baseUrl, says], { home, expect }) => {
    const ran = await diagnose(home, [], { ...client, SENDCTL_BASE_URL: baseUrl });
    expect(ran.exitCode).toBe(2);
    expect(ran.check("base URL")?.detail).toMatch(says);
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });
});

test.for([
  ["a missing key", undefined, 3, "key: error"],
  ["a key that a header cannot carry", "sk_with a space_1234567", 2, "key accepted: error"],
] as const)("reports %s", async ([, given, exitCode, notOk], { home, expect }) => {
  const env = given === undefined ? {} : { SENDCTL_SECRET_KEY: given };
  const ran = await diagnoseService(home, ({ respond }) => respond(401, "who are you?"), env);
  expect(ran).toMatchObject({ exitCode, notOk: [notOk] });
  expect(ran.received[0]?.headers["authorization"]).toBeUndefined();
  expect(ran.stdout + ran.stderr).not.toContain("a space");
});

describe("check of the proxy", () => {
  test("names the proxy without its password", async ({ home, expect }) => {
    const service = await startService((_, { respond }) => respond(200, empty));
    const proxy = await startProxy();
    const env = { ...client, http_proxy: `http://me:hunter2hunter2@127.0.0.1:${proxy.port}` };
    const base = ["--base-url", `http://service.test:${service.port}`, "--insecure-http"];
    const ran = await diagnose(home, base, env);
    const excepted = await diagnose(home, [...base, "--timeout", "1s"], {
      ...env,
      NO_PROXY: "service.test",
    });
    await Promise.all([proxy.close(), service.close()]);
    expect(ran).toMatchObject({ exitCode: 0, notOk: [] });
    expect(ran.check("proxy")?.detail).toBe(`127.0.0.1:${proxy.port}, from HTTP_PROXY`);
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
    expect(excepted.check("proxy")?.detail).toContain("NO_PROXY excludes service.test");
  });

  test("reports that this machine is reached directly", async ({ home, expect }) => {
    const env = { ...client, HTTP_PROXY: "http://127.0.0.1:1" };
    const ran = await diagnoseService(home, ({ respond }) => respond(200, empty), env);
    expect(ran).toMatchObject({ exitCode: 0, notOk: [] });
    expect(ran.check("proxy")?.detail).toContain("is not used for localhost");
  });

  test("reports an invalid address without repeating it", async ({ home, expect }) => {
    const env = { ...client, HTTPS_PROXY: "ftp://me:hunter2hunter2@proxy" };
    const ran = await diagnose(home, ["--base-url", "https://nowhere.invalid"], env);
    expect(ran.check("proxy")?.status).toBe("error");
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });
});

test("a database that is not used is not checked", async ({ home, expect }) => {
  const file = join(home.folder, "notes.txt");
  await writeFile(file, "Not a database at all. ".repeat(99), { mode: 0o600 });
  const ran = await diagnoseService(home, ({ respond }) => respond(200, empty), {
    ...client,
    SENDCTL_DATABASE: file,
  });
  expect(ran).toMatchObject({
    exitCode: 0,
    notOk: [],
  });
  expect(ran.check("database")).toBeUndefined();
});
