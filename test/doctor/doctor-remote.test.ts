import { describe } from "vitest";
import { envelope, page } from "../client/sample-responses.ts";
import { startProxy } from "../client/proxy-server.ts";
import { startService, type Conversation } from "../client/scripted-service.ts";
import { authority, startTlsService } from "../client/tls-service.ts";
import { diagnose, key } from "./doctor-case.ts";
import { type Home } from "../support/home.ts";
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

function refusal(message: string): object {
  return { status: false, message, data: null };
}

describe("a service with unexpected responses", () => {
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
});

describe("an unreachable service", () => {
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

  test("reports an invalid address without repeating it", async ({ home, expect }) => {
    const env = { ...client, HTTPS_PROXY: "ftp://me:hunter2hunter2@proxy" };
    const ran = await diagnose(home, ["--base-url", "https://nowhere.invalid"], env);
    expect(ran.check("proxy")?.status).toBe("error");
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });
});
