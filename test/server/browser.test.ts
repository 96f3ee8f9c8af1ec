import { expect, test } from "vitest";
import {
  send,
  expectRefusal,
  groupNames,
  startRunning,
  type ReceivedResponse,
} from "./running-server.ts";

/** Headers that a browser sends for a page of another site, even if its name resolves to localhost. */
const page = { Host: "evil.example", Origin: "https://evil.example" };

/** Returns the headers of a response that allow a page of another site to read it or send a key. */
function granted({ headers }: ReceivedResponse): string[] {
  return Object.keys(headers).filter((name) => name.startsWith("access-control-"));
}

test("a web page is not allowed to send a key, or to read a response", async () => {
  const running = await startRunning();
  const headers = {
    ...page,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
  };
  for (const path of ["/v1/group", "/v1/group/1", "/healthz", "/openapi.json"]) {
    expect(granted(await send(running, "OPTIONS", path, { key: null, headers }))).toEqual([]);
    expect(granted(await send(running, "GET", path, { headers: page }))).toEqual([]);
  }
});

test("a web page cannot read or change anything with requests that need no preflight", async () => {
  const running = await startRunning();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
    const headers = { ...page, "Content-Type": type, Cookie: `key=${running.key}` };
    const asking = { key: null, body: '{"name":"Friends"}', headers };
    expectRefusal(await send(running, "POST", "/v1/group", asking), 401);
  }
  expectRefusal(await send(running, "GET", "/v1/group", { key: null, headers: page }), 401);
  expect(await groupNames(running)).toEqual([]);
});
