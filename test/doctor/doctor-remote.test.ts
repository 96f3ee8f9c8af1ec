import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { envelope, page } from "../remote/sample-responses.ts";
import { startProxy } from "../remote/proxy-server.ts";
import { closedPort, startService, type Conversation } from "../remote/scripted-service.ts";
import { authority, startTlsService } from "../remote/tls-service.ts";
import { diagnose, key } from "./doctor-case.ts";
import type { Home } from "../support/home.ts";
import { test } from "../support/serving.ts";

const client = { SENDCTL_SECRET_KEY: key };
const empty = envelope(page([]));

/** What is found of a service that answers everything in one way, and what it was asked. */
async function meet(
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

test("a healthy service", async ({ home, serve, expect }) => {
  const server = await serve();
  const ran = await diagnose(home, [], server.client);
  expect(ran).toMatchObject({ exitCode: 0, troubles: [], stderr: "All is well\n" });
  expect(ran.stdout).not.toContain(server.key!);
  expect(ran.checks.map(({ name }) => name).slice(-4)).toStrictEqual([
    "proxy",
    "base URL",
    "key accepted",
    "clock",
  ]);
});

test("one request, with the key where it belongs", async ({ home, expect }) => {
  const { received, troubles } = await meet(home, ({ respond }) => respond(200, empty));
  expect(troubles).toStrictEqual([]);
  expect(received.map(({ method, target }) => `${method} ${target}`)).toStrictEqual([
    "GET /v1/sender-id?perPage=1",
  ]);
  expect(received[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
});

test("a key is told of by its last four characters", async ({ home, expect }) => {
  const { check } = await meet(home, ({ respond }) => respond(200, empty));
  expect(check("key")?.detail).toBe("from SENDCTL_SECRET_KEY, ends in 4b60");
});

function refusal(message: string): object {
  return { status: false, message, data: null };
}

describe("a service that does not answer as it should", () => {
  test.for([
    ["refuses the key", 401, refusal(`Unknown key ${key}`), 3, ["key accepted: fault"]],
    ["forbids it", 403, "no", 3, ["key accepted: fault"]],
    ["is busy", 429, refusal("Slow down"), 0, ["key accepted: warning"]],
    ["is down", 503, "<h1>down</h1>", 8, ["base URL: fault", "key accepted: warning"]],
    ["knows no such path", 404, "nothing", 10, ["base URL: fault", "key accepted: warning"]],
    ["is another's", 200, "<h1>Hello</h1>", 10, ["base URL: fault", "key accepted: warning"]],
    ["says no", 200, refusal("No"), 6, ["key accepted: fault"]],
    ["finds it invalid", 422, refusal("No"), 6, ["key accepted: fault"]],
  ] as const)("%s", async ([, status, body, exitCode, troubles], { home, expect }) => {
    const ran = await meet(home, ({ respond }) => respond(status, body));
    expect({ exitCode: ran.exitCode, troubles: ran.troubles }).toStrictEqual({
      exitCode,
      troubles,
    });
    expect(ran.received).toHaveLength(1);
  });

  test("leads elsewhere", async ({ home, expect }) => {
    const location = "https://elsewhere.example/v1/sender-id";
    const ran = await meet(home, ({ respond }) => respond(301, "", { Location: location }));
    expect(ran.exitCode).toBe(10);
    expect(ran.check("base URL")?.detail).toContain("https://elsewhere.example");
  });

  test("does not speak HTTP", async ({ home, expect }) => {
    const ran = await meet(home, ({ end }) => end("SSH-2.0-OpenSSH_9.2\r\n"));
    expect(ran.exitCode).toBe(10);
  });

  test("says nothing, for as long as one is willing to wait", async ({ home, expect }) => {
    const ran = await meet(home, () => {}, client, ["--timeout", "200ms", "--retries", "9"]);
    expect(ran.exitCode).toBe(8);
    expect(ran.check("base URL")?.detail).toContain("no response within 0.2 s");
    expect(ran.check("clock")?.status).toBe("warning");
  });
});

describe("a service that can't be reached", () => {
  test("nobody listens", async ({ home, expect }) => {
    const base = ["--base-url", `http://127.0.0.1:${await closedPort()}`];
    const ran = await diagnose(home, base, client);
    expect(ran).toMatchObject({
      exitCode: 8,
      troubles: ["base URL: fault", "key accepted: warning", "clock: warning"],
    });
    expect(ran.check("base URL")?.detail).toContain("refused the connection");
  });

  test("it has no address", async ({ home, expect }) => {
    const base = ["--base-url", "https://nowhere.invalid"];
    const ran = await diagnose(home, base, client);
    expect(ran.exitCode).toBe(8);
    expect(ran.check("base URL")?.detail).toContain("nowhere.invalid has no address");
  });

  test.for([
    ["self-signed", undefined, /self-signed/, /NODE_EXTRA_CA_CERTS/],
    ["service", undefined, /untrusted authority/, /NODE_EXTRA_CA_CERTS/],
    ["expired", authority, /expired/, /./],
    ["other-name", authority, /another name/, /./],
  ] as const)(
    "its certificate is %s",
    async ([certificate, trusted, detail, fix], { home, expect }) => {
      const service = await startTlsService(certificate);
      const base = ["--base-url", `https://localhost:${service.port}`];
      const env = trusted === undefined ? client : { ...client, NODE_EXTRA_CA_CERTS: trusted };
      const ran = await diagnose(home, base, env);
      await service.close();
      expect(ran.exitCode).toBe(8);
      expect(ran.check("base URL")?.detail).toMatch(detail);
      expect(ran.check("base URL")?.fix).toMatch(fix);
      expect(service.keys).toStrictEqual([]);
    },
  );

  test.for([
    ["ftp://example.com", /is invalid/],
    ["http://example.com", /unencrypted/],
    ["https://user:hunter2hunter2@example.com", /user name or password/],
  ] as const)("its address is %s", async ([baseUrl, says], { home, expect }) => {
    const ran = await diagnose(home, [], { ...client, SENDCTL_BASE_URL: baseUrl });
    expect(ran.exitCode).toBe(2);
    expect(ran.check("base URL")?.detail).toMatch(says);
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });
});

describe("the key", () => {
  test("there is none", async ({ home, expect }) => {
    const ran = await meet(home, ({ respond }) => respond(401, "who are you?"), {});
    expect(ran).toMatchObject({ exitCode: 3, troubles: ["key: fault"] });
    expect(ran.received[0]?.headers["authorization"]).toBeUndefined();
  });

  test("no header can carry it", async ({ home, expect }) => {
    const env = { SENDCTL_SECRET_KEY: "sk_with a space_1234567" };
    const ran = await meet(home, ({ respond }) => respond(401, "who are you?"), env);
    expect(ran).toMatchObject({ exitCode: 2, troubles: ["key accepted: fault"] });
    expect(ran.stdout + ran.stderr).not.toContain("a space");
  });
});

describe("the clock", () => {
  test.for([
    [-7200, /^7\d\d\d s ahead of/, "warning"],
    [7200, /^7\d\d\d s behind/, "warning"],
    [10, /^agrees/, "ok"],
  ] as const)("the service's is %i s off", async ([seconds, says, status], { home, expect }) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    const ran = await meet(home, ({ respond }) => respond(200, empty, { Date: date }));
    expect(ran.exitCode).toBe(0);
    expect(ran.check("clock")?.status).toBe(status);
    expect(ran.check("clock")?.detail).toMatch(says);
  });

  test("a date that is none is no fault", async ({ home, expect }) => {
    const ran = await meet(home, ({ respond }) => respond(200, empty, { Date: "yesterday" }));
    expect(ran).toMatchObject({ exitCode: 0, troubles: [] });
  });
});

describe("the proxy", () => {
  test("is named without its password", async ({ home, expect }) => {
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
    expect(ran).toMatchObject({ exitCode: 0, troubles: [] });
    expect(ran.check("proxy")?.detail).toBe(`127.0.0.1:${proxy.port}, from HTTP_PROXY`);
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
    expect(excepted.check("proxy")?.detail).toContain("NO_PROXY excludes service.test");
  });

  test("is not for this machine", async ({ home, expect }) => {
    const env = { ...client, HTTP_PROXY: "http://127.0.0.1:1" };
    const ran = await meet(home, ({ respond }) => respond(200, empty), env);
    expect(ran).toMatchObject({ exitCode: 0, troubles: [] });
    expect(ran.check("proxy")?.detail).toContain("not used for localhost");
  });

  test("that is no address is a fault, and not repeated", async ({ home, expect }) => {
    const env = { ...client, HTTPS_PROXY: "ftp://me:hunter2hunter2@proxy" };
    const ran = await diagnose(home, ["--base-url", "https://nowhere.invalid"], env);
    expect(ran.check("proxy")?.status).toBe("fault");
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });
});

test("a database that is not used is no worse than a warning", async ({ home, expect }) => {
  const file = join(home.folder, "notes.txt");
  await writeFile(file, "Not a database at all. ".repeat(99), { mode: 0o600 });
  const ran = await meet(home, ({ respond }) => respond(200, empty), {
    ...client,
    SENDCTL_DATABASE: file,
  });
  expect(ran).toMatchObject({
    exitCode: 0,
    troubles: ["schema: warning", "integrity: warning"],
  });
});

test("what a service says is shown as text, never obeyed", async ({ home, expect }) => {
  const location = "https://e.example/\u009b2J";
  const ran = await meet(home, ({ respond }) => respond(301, "", { Location: location }));
  // oxlint-disable-next-line no-control-regex -- what must not be there
  expect(ran.stdout).not.toMatch(/[\u0080-\u009f\u001b]/);
});
