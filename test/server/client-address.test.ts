import { expect, test } from "vitest";
import { send, startRunning } from "./running-server.ts";

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Returns the logged address of a client that sends these headers. */
async function logged(headers: Headers, trustsProxy: boolean): Promise<string | undefined> {
  const running = await startRunning({ trustsProxy });
  await send(running, "GET", "/healthz", { headers: headers as Record<string, string> });
  expect(running.served).toHaveLength(1);
  return running.served[0]!.client;
}

const own = "127.0.0.1";

test("without --trust-proxy, a client cannot choose its address", async () => {
  expect(await logged({}, false)).toBe(own);
  expect(await logged({ "X-Forwarded-For": "192.0.2.7" }, false)).toBe(own);
  expect(await logged({ Forwarded: "for=192.0.2.7" }, false)).toBe(own);
});

const trusted: readonly (readonly [Headers, string])[] = [
  [{ "X-Forwarded-For": "192.0.2.7" }, "192.0.2.7"],
  // The proxy adds its entry after those that the client sent.
  [{ "X-Forwarded-For": "203.0.113.9, 192.0.2.7" }, "192.0.2.7"],
  [{ "X-Forwarded-For": ["203.0.113.9", "198.51.100.1,192.0.2.7"] }, "192.0.2.7"],
  [{ "x-forwarded-for": "evil,2001:db8::7" }, "2001:db8::7"],
  [{ "X-Forwarded-For": "192.0.2.7:4711" }, "192.0.2.7"],
  [{ "X-Forwarded-For": "[2001:db8::7]:4711" }, "2001:db8::7"],
  [{ "X-Forwarded-For": "::ffff:192.0.2.7" }, "192.0.2.7"],
  [{ "X-Forwarded-For": "192.0.2.7", Forwarded: "for=203.0.113.9" }, "192.0.2.7"],
];

test.each(trusted)("with --trust-proxy, %j means %s", async (headers, address) => {
  expect(await logged(headers, true)).toBe(address);
});

const unusable: readonly Headers[] = [
  {},
  { "X-Forwarded-For": "" },
  { "X-Forwarded-For": "203.0.113.9, unknown" },
  { "X-Forwarded-For": "203.0.113.9," },
  { "X-Forwarded-For": "256.1.1.1" },
  { "X-Forwarded-For": '192.0.2.7","status":"0' },
  { "X-Forwarded-For": "sk_0123456789012345678901234567890123456789012" },
  { "X-Forwarded-For": `fe80::1%${"x".repeat(100)}` },
  // Another header, which a proxy that sets X-Forwarded-For passes on from the client.
  { Forwarded: "for=203.0.113.9" },
];

test.each(unusable)("with --trust-proxy, %j means the address of the proxy", async (headers) => {
  expect(await logged(headers, true)).toBe(own);
});
