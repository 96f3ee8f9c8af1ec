import { afterEach, beforeEach, describe, vi } from "vitest";
import { freePort } from "../support/ports.mjs";
import { proxyFor } from "../../src/client/http/route.ts";
import { commands, envelope, group } from "./sample-responses.ts";
import { startProxy, test as withProxy, type Proxy } from "./proxy-server.ts";
import { violationsOf, key, run, type Run } from "./run-remote.ts";
import type { ScriptedService } from "./scripted-service.ts";
import { authority, startTlsService } from "./tls-service.ts";

const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

const test = withProxy.extend<{ url: string }>({
  url: async ({ proxy }, use) => use(`http://127.0.0.1:${proxy.port}`),
});

beforeEach(() => {
  for (const name of variables) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

type Environment = Readonly<Record<string, string>>;

/** Runs with variables that are also set in this process, because some libraries read only those. */
async function runIn(env: Environment, args: readonly string[]): Promise<Run> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return run(args, { env });
}

function plainly(service: ScriptedService, host = "service.test"): string[] {
  const address = `http://${host}:${service.port}`;
  return ["--base-url", address, "--insecure-http", "--retries", "0", ...commands.GET];
}

/** Environments in which URL stands for the proxy, PORT for that of the service, and CLOSED for no proxy. */
const proxied: readonly Environment[] = [
  { HTTP_PROXY: "URL" },
  { http_proxy: "URL" },
  { HTTP_PROXY: "127.0.0.1:PROXY" },
  { HTTP_PROXY: "", http_proxy: "URL" },
  { HTTP_PROXY: "URL", http_proxy: "" },
  { HTTP_PROXY: "CLOSED", http_proxy: "URL" },
  ...["other.test", "ice.test", "service.test:1", "service.test.example", ".est", ""].map(
    (value) => ({ HTTP_PROXY: "URL", NO_PROXY: value }),
  ),
];

const direct: readonly Environment[] = [
  { HTTPS_PROXY: "URL" },
  { HTTP_PROXY: "URL", NO_PROXY: "service.test:PORT" },
  ...["service.test", "SERVICE.test", "a.test, service.test", ".test", "*.test", "*"].flatMap(
    (value) => ["NO_PROXY", "no_proxy"].map((name) => ({ HTTP_PROXY: "URL", [name]: value })),
  ),
];

async function fill(env: Environment, proxy: Proxy, service: ScriptedService) {
  const texts = {
    URL: `http://127.0.0.1:${proxy.port}`,
    CLOSED: `http://127.0.0.1:${await freePort()}`,
    PROXY: String(proxy.port),
    PORT: String(service.port),
  };
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/URL|CLOSED|PROXY|PORT/, (word) => texts[word as keyof typeof texts]),
  ]);
  return Object.fromEntries(filled) as Environment;
}

describe("a plain proxy", () => {
  test.for(proxied)("is used with %j", async (given, { expect, service, proxy }) => {
    const ran = await runIn(await fill(given, proxy, service), plainly(service));
    expect(ran.exitCode).toBe(0);
    expect(proxy.requests).toStrictEqual([`GET http://service.test:${service.port}/v1/group/12`]);
    const keys = service.received.map(({ headers }) => headers["authorization"]);
    expect(keys).toStrictEqual([`Bearer ${key}`]);
  });

  // Only the proxy resolves that name.
  test.for(direct)("is not used with %j", async (given, { expect, service, proxy }) => {
    const ran = await runIn(await fill(given, proxy, service), plainly(service));
    expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
    expect(ran.stderr).toContain("could not resolve host");
    expect(proxy.requests).toStrictEqual([]);
  });

  test.for([{}, { NO_PROXY: "service.test" }])(
    "is read from the injected environment, which may exclude it: %j",
    async (excluded, { expect, service, proxy, url }) => {
      const isExcluded = "NO_PROXY" in excluded;
      if (isExcluded) vi.stubEnv("HTTP_PROXY", url);
      await run(plainly(service), { env: { HTTP_PROXY: url, ...excluded } });
      expect(proxy.requests).toHaveLength(isExcluded ? 0 : 1);
    },
  );

  test.for(["http://", "::::", "ftp://x:hunter22@proxy.test", "//x:hunter22@proxy test"])(
    "with an invalid address is rejected: %s",
    async (address, { expect, service }) => {
      const args = plainly(service);
      const ran = await runIn({ HTTP_PROXY: address }, args);
      expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
      expect(ran.stderr).toContain("HTTP_PROXY");
      expect(ran.stderr).not.toContain("hunter22");
      expect(violationsOf(ran, args)).toStrictEqual([]);
    },
  );
});

describe("localhost", () => {
  test.for(["127.0.0.1", "localhost", "LOCALHOST", "0x7f.1", "2130706433"])(
    "is never reached through a proxy: %s",
    async (host, { expect, service, proxy, url }) => {
      const env = { HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url };
      const ran = await runIn(env, plainly(service, host));
      expect(ran.exitCode).toBe(0);
      expect(service.received).toHaveLength(1);
      expect(proxy.requests).toStrictEqual([]);
    },
  );

  test("does not include names that only start like it", async ({
    expect,
    service,
    proxy,
    url,
  }) => {
    for (const host of ["127.0.0.1.service.test", "localhost.service.test"]) {
      await runIn({ HTTP_PROXY: url }, plainly(service, host));
    }
    expect(proxy.requests).toHaveLength(2);
  });
});

describe("a proxy for HTTPS", () => {
  test.for(["HTTPS_PROXY", "https_proxy"])(
    "is read from %s, and cannot read the traffic",
    async (name, { home, expect, proxy, url }) => {
      const service = await startTlsService("service");
      const address = `https://service.test:${service.port}`;
      const ran = await home.spawn(["--base-url", address, ...commands.GET, "--json", "--debug"], {
        SENDCTL_SECRET_KEY: key,
        NODE_EXTRA_CA_CERTS: authority,
        [name]: url,
      });
      await service.close();
      expect(ran.exitCode).toBe(0);
      expect(JSON.parse(ran.stdout)).toStrictEqual(envelope(group));
      expect(proxy.requests).toStrictEqual([`CONNECT service.test:${service.port}`]);
      expect(service.received).toMatchObject([{ headers: { authorization: `Bearer ${key}` } }]);
      expect(proxy.seen()).toContain("CONNECT");
      expect(proxy.seen()).not.toContain(key);
      expect(proxy.seen().toLowerCase()).not.toContain("authorization");
    },
  );

  test("cannot make a certificate trusted", async ({ expect, proxy, url }) => {
    const service = await startTlsService("service");
    const args = ["--base-url", `https://service.test:${service.port}`, ...commands.POST];
    const ran = await runIn({ HTTPS_PROXY: url }, args);
    await service.close();
    expect(ran).toMatchObject({ exitCode: 8, waits: [] });
    expect(ran.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect(service.received).toStrictEqual([]);
    expect(proxy.seen()).not.toContain(key);
  });

  test("does not disable verification with NODE_TLS_REJECT_UNAUTHORIZED=0", async ({
    home,
    expect,
    proxy,
    url,
  }) => {
    const service = await startTlsService("self-signed");
    const args = ["--base-url", `https://service.test:${service.port}`, ...commands.GET];
    const env = { SENDCTL_SECRET_KEY: key, HTTPS_PROXY: url, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const ran = await home.spawn(args, env);
    await service.close();
    expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
    expect(proxy.requests).toStrictEqual([`CONNECT service.test:${service.port}`]);
    expect(service.received).toStrictEqual([]);
  });

  const refusals = {
    "407": "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "403": "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nPolicy",
    "502": "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    "its own envelope": `HTTP/1.1 500 No\r\nContent-Length: 45\r\n\r\n{"status":true,"message":"Group","data":null}`,
    "a success other than 200": `HTTP/1.1 204 No Content\r\n\r\n`,
    "malformed HTTP": "SSH-2.0-OpenSSH_9.7\r\n\r\n",
    nothing: "",
  };
  const cases = Object.keys(refusals).flatMap((refusal) =>
    (["GET", "POST"] as const).map((way) => [refusal as keyof typeof refusals, way] as const),
  );

  test.for(cases)(
    "that responds with %s is named in the error of %s",
    async ([refusal, way], { expect }) => {
      const proxy = await startProxy(refusals[refusal]);
      const args = ["--base-url", "https://service.test", "--debug", ...commands[way]];
      const env = { HTTPS_PROXY: `http://user:hunter22@127.0.0.1:${proxy.port}` };
      const ran = await runIn(env, args);
      await proxy.close();
      // Nothing was sent to the service, so this is neither its response nor an unknown outcome.
      const waits = refusal === "nothing" && way === "GET" ? [250, 500] : [];
      expect(ran).toMatchObject({ exitCode: 8, stdout: "", waits });
      expect(ran.stderr).toMatch(new RegExp(`sendctl: .*127\\.0\\.0\\.1:${proxy.port}`));
      expect(ran.stderr).not.toContain("hunter22");
      expect(proxy.requests.length).toBeGreaterThan(0);
      expect(proxy.seen()).not.toContain(key);
      expect(proxy.seen().toLowerCase()).not.toMatch(/^authorization/m);
      expect(violationsOf(ran, args)).toStrictEqual([]);
    },
  );

  test.for(["GET", "POST"] as const)(
    "that refuses the connection is retried and named in the error of %s",
    async (way, { expect }) => {
      const port = await freePort();
      const args = ["--base-url", "https://service.test", ...commands[way]];
      const ran = await runIn({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, args);
      expect(ran).toMatchObject({ exitCode: 8, stdout: "", waits: [250, 500] });
      expect(ran.stderr).toContain(`127.0.0.1:${port}`);
      expect(ran.stderr).toContain("refused the connection");
      expect(violationsOf(ran, args)).toStrictEqual([]);
    },
  );
});

test.for([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["10.1.2.3", "10.1.2.3/32", true],
  ["192.168.1.5", "fd00::/8, 192.168.0.0/16", true],
  ["[fd00::7]", "fd00::/8", true],
  ["[fe80::7]", "fd00::/8", false],
  ["[fd00::7]", "fd00::7", true],
  ["[fd00::7]", "[fd00::7]", true],
  ["[fd00::7]", "[fd00::7]:8443", true],
  ["[fd00::7]", "[fd00::7]:443", false],
  ["[fd00::7]", "fd00:0:0::0:7", true],
  ["10.1.2.3", "10.1.2.3:8443", true],
  ["10.1.2.3", "10.0.0.0/33", false],
  ["10.1.2.3", "10.0.0.0/", false],
  ["10.1.2.3", "0.0.0.0/0", true],
  ["10.example.com", "10.0.0.0/8", false],
] as const)(
  "the address %s is excluded by NO_PROXY=%s: %j",
  ([host, value, isExcluded], { expect }) => {
    const base = new URL(`https://${host}:8443`);
    const expected = isExcluded ? "NO_PROXY" : undefined;
    expect(proxyFor(base, { NO_PROXY: value }).exception).toBe(expected);
  },
);

test.for([
  ["https://sms.example", "443"],
  ["http://sms.example", "80"],
] as const)("NO_PROXY knows the port of %s", ([address, port], { expect }) => {
  const base = new URL(address);
  const exceptionOf = (value: string) => proxyFor(base, { NO_PROXY: value }).exception;
  expect(exceptionOf(`sms.example:${port}`)).toBe("NO_PROXY");
  expect(exceptionOf(`sms.example:${port === "80" ? "443" : "80"}`)).toBeUndefined();
});
