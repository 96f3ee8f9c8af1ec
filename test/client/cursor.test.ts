import { describe, expect, test } from "vitest";
import { key, runAgainst } from "./run-remote.ts";
import { envelope, group, page } from "./sample-responses.ts";
import type { Script } from "./scripted-service.ts";

/** Returns a service with 4 groups in pages of 2, that ignores cursors and sends this header with each page. */
function sending(header: Readonly<Record<string, string>>): Script {
  return ({ target }, { respond }) => {
    const number = Number(new URL(target, "http://localhost").searchParams.get("page") ?? 1);
    const ids = [4, 3, 2, 1].slice(2 * (number - 1), 2 * number);
    const numbers = { current_page: number, last_page: 2, per_page: 2, total: 4 };
    const body = envelope(
      page(
        ids.map((id) => ({ ...group, id })),
        numbers,
      ),
    );
    respond(200, body, header);
  };
}

const args = ["group", "list", "--all", "--per-page", "2", "-o", "id"];

describe("a cursor", () => {
  test("goes back to the service that sent it, with the page number", async () => {
    const cursor = "abc-123_~.";
    const ran = await runAgainst(sending({ "Sendctl-Cursor": cursor }), args);
    expect(ran.requests[0]).toBe("GET /v1/group?perPage=2");
    expect(ran.requests[1]).toBe(`GET /v1/group?perPage=2&page=2&cursor=${cursor}`);
  });

  test.for([
    ["with the key", { "Sendctl-Cursor": key }],
    ["with the key in it", { "Sendctl-Cursor": `a-${key}.b` }],
    ["with a URL", { "Sendctl-Cursor": "https://elsewhere.example/v1/group" }],
    ["with a query", { "Sendctl-Cursor": "a&perPage=1" }],
    ["that is too long", { "Sendctl-Cursor": "a".repeat(201) }],
    ["that is empty", { "Sendctl-Cursor": "" }],
    ["in another header", { Link: '<https://elsewhere.example/v1/group?page=2>; rel="next"' }],
  ] as const)("%s is ignored", async ([, header]) => {
    const ran = await runAgainst(sending(header), args);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout.trim().split("\n")).toEqual(["4", "3", "2", "1"]);
    expect(ran.requests).toEqual([
      "GET /v1/group?perPage=2",
      "GET /v1/group?perPage=2&page=2",
      "GET /v1/group?perPage=2&page=3",
    ]);
    expect(ran.violations).toEqual([]);
  });

  test("with a key that is too short to be hidden in other text is ignored", async () => {
    const env = { SENDCTL_SECRET_KEY: "abc1234" };
    const ran = await runAgainst(sending({ "Sendctl-Cursor": "abc1234" }), args, { env });
    expect(ran.stdout.trim().split("\n")).toEqual(["4", "3", "2", "1"]);
    expect(ran.requests.filter((request) => request.includes("cursor"))).toEqual([]);
  });

  test("that is refused is not sent again", async () => {
    const accepting = sending({ "Sendctl-Cursor": "a" });
    const refusing: Script = (request, answering) => {
      if (!request.target.includes("cursor=")) return accepting(request, answering);
      return answering.respond(400, { status: false, message: "Unknown parameter", data: null });
    };
    const ran = await runAgainst(refusing, args);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout.trim().split("\n")).toEqual(["4", "3", "2", "1"]);
    expect(ran.requests.filter((line) => line.includes("cursor="))).toHaveLength(1);
  });

  test("that always leads to the same page ends with an error", async () => {
    const numbers = { last_page: 2, per_page: 2, total: 4 };
    const same: Script = (_, { respond }) => {
      const body = envelope(page([group, { ...group, id: 11 }], numbers));
      respond(200, body, { "Sendctl-Cursor": "a" });
    };
    const ran = await runAgainst(same, args);
    expect(ran.exitCode).toBe(10);
    expect(ran.requests.length).toBeLessThan(10);
  });
});
