import { describe } from "vitest";
import { answering } from "./sample-responses.ts";
import { test, type Proxy } from "./proxy-server.ts";
import { key, run, type Run } from "./run-remote.ts";
import { startService, type Script, type ScriptedService } from "./scripted-service.ts";

const host = "service.test";

/** Runs a command through the proxy. @param path appended to the host in the base URL */
function runThrough(
  proxy: Proxy,
  { port }: ScriptedService,
  args: readonly string[],
  path = "",
): Promise<Run> {
  const address = `http://${host}:${port}${path}`;
  const options = ["--base-url", address, "--insecure-http", "--retries", "0"];
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  return run([...options, ...args], { env });
}

/** Returns the hosts of the requests that the proxy received. */
function hostsOf(proxy: Proxy): string[] {
  const targets = proxy.requests.map((line) => new URL(line.slice(line.indexOf(" ") + 1)).hostname);
  const headers = [...proxy.seen().matchAll(/^host: *([^:\r\n]*)/gim)].map(([, name]) => name!);
  return [...new Set([...targets, ...headers])];
}

const evil = "evil.test";

const paths = [
  `//${evil}`,
  `//${evil}/v1/group`,
  `///${evil}`,
  String.raw`/\evil.test`,
  String.raw`/\/evil.test`,
  String.raw`\\evil.test`,
  `/\t/${evil}`,
  `/\n/${evil}`,
  `\t//${evil}`,
  ` //${evil}`,
  `/%2f/${evil}`,
  `/%5c${evil}`,
  `/%09/${evil}`,
  `/.//${evil}`,
  `/..//${evil}`,
  `/v1/..//${evil}`,
  `/%2e%2e//${evil}`,
  `http://${evil}/`,
  `https://${evil}/`,
  `HTTP:${evil}`,
  `@${evil}`,
  `/@${evil}`,
  `:80@${evil}/`,
  `.${evil}/`,
  `?@${evil}`,
  `#@${evil}`,
  `/v1/group HTTP/1.1\r\nHost: ${evil}`,
  `/／${evil}`,
];

describe("no request is sent to another host", () => {
  test.for(paths)("by the path %j", async (path, { expect, service, proxy }) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      for (const base of ["", "/", "/api", "/api/"]) {
        const ran = await runThrough(proxy, service, ["api", method, path], base);
        const sent = proxy.requests.length;
        expect(ran.exitCode === 2 || sent > 0, `${method} on ${base}: ${ran.stderr}`).toBe(true);
      }
    }
    expect(hostsOf(proxy).filter((name) => name !== host)).toStrictEqual([]);
  });

  test.for(paths)("by %j in a base URL", async (path, { expect, service, proxy }) => {
    for (const args of [
      ["group", "list"],
      ["group", "create", "A"],
      ["api", "GET", "/v1/group"],
    ]) {
      const before = proxy.requests.length;
      const { exitCode } = await runThrough(proxy, service, args, path);
      expect(exitCode === 2 || proxy.requests.length > before).toBe(true);
    }
    // A path such as ".evil.test" legitimately extends the host name.
    const authority = URL.canParse(`http://${host}:1${path}`)
      ? new URL(`http://${host}:1${path}`).hostname
      : host;
    expect(hostsOf(proxy).filter((name) => name !== authority)).toStrictEqual([]);
  });

  test.for(paths)("by %j as a name or an id", async (path, { expect, service, proxy }) => {
    for (const args of [
      ["sender-id", "fetch"],
      ["sender-id", "delete", "--yes"],
      ["group", "fetch"],
      ["group", "delete", "--yes"],
    ]) {
      await runThrough(proxy, service, [...args, "--", path]);
    }
    expect(hostsOf(proxy).filter((name) => name !== host)).toStrictEqual([]);
  });

  test.for([301, 302, 303, 307, 308])(
    "by a redirect with %i",
    async (status, { expect, proxy }) => {
      for (const target of [`http://${evil}/`, `//${evil}/`, String.raw`/\evil.test`]) {
        const redirect: Script = answering(status, "", { Location: target });
        const service = await startService(redirect);
        for (const args of [
          ["group", "list"],
          ["group", "create", "A"],
          ["api", "GET", "/v1/group"],
        ]) {
          expect((await runThrough(proxy, service, args)).exitCode).not.toBe(0);
        }
        await service.close();
      }
      expect(hostsOf(proxy)).toStrictEqual([host]);
      expect(proxy.seen()).toContain(key);
    },
  );
});
