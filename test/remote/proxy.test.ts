import { afterEach, beforeEach, describe, vi } from "vitest";
import { test as base } from "../support/home.ts";
import { commands, envelope, group } from "./sample-responses.ts";
import { startProxy, type Proxy } from "./proxy-server.ts";
import { violationsOf, key, run, type Run } from "./run-remote.ts";
import { closedPort, startService, type ScriptedService } from "./scripted-service.ts";
import { authority, startTlsService } from "./tls-service.ts";

const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** A service, and a proxy through which alone it has the name `service.test`. */
const test = base.extend<{ service: ScriptedService; proxy: Proxy; url: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what a fixture needs
  service: async ({}, use) => {
    const service = await startService((_, { respond }) => respond(200, envelope(group)));
    await use(service);
    await service.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- the same
  proxy: async ({}, use) => {
    const proxy = await startProxy();
    await use(proxy);
    await proxy.close();
  },
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

/** In an environment that this process has, too: some of what reads it can't be handed another. */
async function runIn(env: Environment, args: readonly string[]): Promise<Run> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return run(args, { env });
}

function plainly(service: ScriptedService, host = "service.test"): string[] {
  const address = `http://${host}:${service.port}`;
  return ["--base-url", address, "--insecure-http", "--retries", "0", ...commands.GET];
}

describe("a plain proxy", () => {
  test.for(["HTTP_PROXY", "http_proxy"])(
    "is found in %s",
    async (name, { expect, service, proxy, url }) => {
      const ran = await runIn({ [name]: url }, plainly(service));
      expect(ran.exitCode).toBe(0);
      expect(proxy.requests).toStrictEqual([`GET http://service.test:${service.port}/v1/group/12`]);
      expect(service.received.map(({ headers }) => headers["authorization"])).toStrictEqual([
        `Bearer ${key}`,
      ]);
    },
  );

  test("is found in the environment that is handed in", async ({ expect, service, proxy, url }) => {
    const ran = await run(plainly(service), { env: { HTTP_PROXY: url } });
    expect(proxy.requests).toHaveLength(1);
    expect(ran.exitCode).toBe(0);
  });

  test("is excepted in the environment that is handed in", async ({
    expect,
    service,
    proxy,
    url,
  }) => {
    vi.stubEnv("HTTP_PROXY", url);
    await run(plainly(service), { env: { HTTP_PROXY: url, NO_PROXY: "service.test" } });
    expect(proxy.requests).toStrictEqual([]);
  });

  test("is not one for the other protocol", async ({ expect, service, proxy, url }) => {
    const ran = await runIn({ HTTPS_PROXY: url }, plainly(service));
    expect(ran.exitCode).toBe(8);
    expect(proxy.requests).toStrictEqual([]);
  });

  test("may be named without its protocol", async ({ expect, service, proxy }) => {
    const ran = await runIn({ HTTP_PROXY: `127.0.0.1:${proxy.port}` }, plainly(service));
    expect(proxy.requests).toHaveLength(1);
    expect(ran.exitCode).toBe(0);
  });

  test("is found where the other spelling of its variable is empty", async ({
    expect,
    service,
    proxy,
    url,
  }) => {
    const ran = await runIn({ HTTP_PROXY: "", http_proxy: url }, plainly(service));
    expect(proxy.requests).toHaveLength(1);
    expect(ran.exitCode).toBe(0);
  });

  test("is the one of the lower-case variable where both name one", async ({
    expect,
    service,
    proxy,
    url,
  }) => {
    const unused = `http://127.0.0.1:${await closedPort()}`;
    const ran = await runIn({ HTTP_PROXY: unused, http_proxy: url }, plainly(service));
    expect(ran.exitCode).toBe(0);
    expect(proxy.requests).toHaveLength(1);
  });

  test.for(["http://", "::::", "ftp://x:hunter22@proxy.test", "//x:hunter22@proxy test"])(
    "that is no address is refused: %s",
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

describe("NO_PROXY", () => {
  const excepting = [
    "service.test",
    "SERVICE.test",
    "a.test, service.test",
    ".test",
    "*.test",
    "*",
  ];
  const others = ["other.test", "ice.test", "service.test:1", "service.test.example", ".est", ""];

  test.for(excepting)("excepts: %s", async (value, { expect, service, proxy, url }) => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const ran = await runIn({ HTTP_PROXY: url, [name]: value }, plainly(service));
      // Without the proxy, nobody knows that name.
      expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
      expect(ran.stderr).toContain("has no address");
      expect(proxy.requests).toStrictEqual([]);
      vi.stubEnv(name, undefined);
    }
  });

  test("excepts a host with its port", async ({ expect, service, proxy, url }) => {
    const env = { HTTP_PROXY: url, NO_PROXY: `service.test:${service.port}` };
    const ran = await runIn(env, plainly(service));
    expect(ran.exitCode).toBe(8);
    expect(proxy.requests).toStrictEqual([]);
  });

  test.for(others)("excepts others alone: %s", async (value, { expect, service, proxy, url }) => {
    const ran = await runIn({ HTTP_PROXY: url, NO_PROXY: value }, plainly(service));
    expect(ran.exitCode).toBe(0);
    expect(proxy.requests).toHaveLength(1);
  });
});

describe("this machine", () => {
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

  test("is not whatever merely begins like it", async ({ expect, service, proxy, url }) => {
    for (const host of ["127.0.0.1.service.test", "localhost.service.test"]) {
      await runIn({ HTTP_PROXY: url }, plainly(service, host));
    }
    expect(proxy.requests).toHaveLength(2);
  });
});

describe("a proxy for HTTPS", () => {
  test.for(["HTTPS_PROXY", "https_proxy"])(
    "is found in %s, and sees nothing of what is said",
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
      expect(service.keys).toStrictEqual([`Bearer ${key}`]);
      expect(proxy.seen()).toContain("CONNECT");
      expect(proxy.seen()).not.toContain(key);
      expect(proxy.seen().toLowerCase()).not.toContain("authorization");
    },
  );

  test("can't make a certificate trusted", async ({ expect, proxy, url }) => {
    const service = await startTlsService("service");
    const args = ["--base-url", `https://service.test:${service.port}`, ...commands.POST];
    const ran = await runIn({ HTTPS_PROXY: url }, args);
    await service.close();
    expect(ran).toMatchObject({ exitCode: 8, waits: [] });
    expect(ran.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect(service.requests).toStrictEqual([]);
    expect(proxy.seen()).not.toContain(key);
  });

  test("leads to no other certificate with NODE_TLS_REJECT_UNAUTHORIZED=0", async ({
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
    expect(service.requests).toStrictEqual([]);
  });

  const refusals = {
    "407": "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "403": "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nPolicy",
    "502": "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    "an envelope of its own": `HTTP/1.1 500 No\r\nContent-Length: 45\r\n\r\n{"status":true,"message":"Group","data":null}`,
    "a success of no tunnel": `HTTP/1.1 204 No Content\r\n\r\n`,
    "no HTTP": "SSH-2.0-OpenSSH_9.7\r\n\r\n",
    nothing: "",
  };
  const cases = Object.keys(refusals).flatMap((refusal) =>
    (["GET", "POST"] as const).map((way) => [refusal as keyof typeof refusals, way] as const),
  );

  test.for(cases)("that answers with %s is named, of %s", async ([refusal, way], { expect }) => {
    const proxy = await startProxy(refusals[refusal]);
    const args = ["--base-url", "https://service.test", "--debug", ...commands[way]];
    const env = { HTTPS_PROXY: `http://user:hunter22@127.0.0.1:${proxy.port}` };
    const ran = await runIn(env, args);
    await proxy.close();
    // Nothing was sent to the service, so it is neither its answer nor an unknown outcome.
    expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
    expect(ran.stderr).toMatch(new RegExp(`sendctl: .*127\\.0\\.0\\.1:${proxy.port}`));
    expect(ran.stderr).not.toContain("hunter22");
    expect(proxy.requests.length).toBeGreaterThan(0);
    expect(proxy.seen()).not.toContain(key);
    expect(proxy.seen().toLowerCase()).not.toMatch(/^authorization/m);
    expect(violationsOf(ran, args)).toStrictEqual([]);
  });

  test.for(["GET", "POST"] as const)(
    "that refuses the connection is named, and tried again, of %s",
    async (way, { expect }) => {
      const port = await closedPort();
      const args = ["--base-url", "https://service.test", ...commands[way]];
      const ran = await runIn({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, args);
      expect(ran).toMatchObject({ exitCode: 8, stdout: "", waits: [250, 500] });
      expect(ran.stderr).toContain(`127.0.0.1:${port}`);
      expect(ran.stderr).toContain("refused the connection");
      expect(violationsOf(ran, args)).toStrictEqual([]);
    },
  );
});
