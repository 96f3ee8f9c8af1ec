import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { forwardedAddress } from "../../src/server/request.ts";
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
  [{ Forwarded: "for=203.0.113.9, for=192.0.2.7;proto=https" }, "192.0.2.7"],
  [{ Forwarded: 'proto=https; For="[2001:db8::7]:4711"' }, "2001:db8::7"],
  // Quoted separators are part of a host name that the client chose.
  [{ Forwarded: 'host="a;for=203.0.113.9,for=203.0.113.9";for=192.0.2.7' }, "192.0.2.7"],
  [{ Forwarded: 'for=192.0.2.7;host="a\\",for=203.0.113.9"' }, "192.0.2.7"],
  // With an open quotation mark, a client can neither replace nor hide what the proxy adds after a comma.
  [{ Forwarded: 'for=203.0.113.9;host=", for="[2001:db8::7]"' }, "2001:db8::7"],
  [{ Forwarded: 'for=203.0.113.9;host=", for=192.0.2.7' }, "192.0.2.7"],
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
  { Forwarded: "for=203.0.113.9, for=_hidden" },
  { Forwarded: "for=203.0.113.9, proto=https" },
  { Forwarded: 'host="for=203.0.113.9"' },
  { Forwarded: 'for=203.0.113.9;host="' },
];

test.each(unusable)("with --trust-proxy, %j means the address of the proxy", async (headers) => {
  expect(await logged(headers, true)).toBe(own);
});

test.for(['"\\', " ", "a", "a;", 'a="', "=", ",", '\\"'])(
  "the time to read many %j is proportional to their number",
  (part) => {
    const forwarded = `,${part.repeat(500_000)}"`;
    const request = { rawHeaders: ["Forwarded", forwarded] } as unknown as IncomingMessage;
    // Quadratic time would be a minute or more.
    expect(forwardedAddress(request)).toBeUndefined();
  },
);
