import { describe, expect, test } from "vitest";
import { openUnreliableRelay } from "../unreliable-relay.ts";
import { stateOf } from "./state.ts";
import { fiveASecond, proxyPages } from "./strict-and-flaky.ts";
import type { Failure, RefusalShape } from "./switches.ts";
import { acme, withVendor } from "./with-vendor.ts";

async function runAgainst(failure: Failure, times: number) {
  return withVendor({ failures: [failure] }, async (send, vendor) => {
    for (let index = 0; index < times; index += 1) {
      await send("POST", "/group", { name: `Group ${index}` }).catch(() => undefined);
    }
    return vendor.requests.map(({ status, changed }) => [status, changed]);
  });
}

describe("refusals", () => {
  test.for<readonly [RefusalShape, object]>([
    ["envelope", { status: false, message: "Sender not found", data: null }],
    ["message", { message: "Sender not found" }],
    ["error", { error: "Sender not found" }],
    ["error.message", { error: { message: "Sender not found" } }],
    ["error.description", { error: { code: "E_REFUSED", description: "Sender not found" } }],
    ["detail", { detail: "Sender not found" }],
    ["title", { title: "Sender not found" }],
    ["errors list", { message: "The given data was invalid.", errors: ["Sender not found"] }],
  ])("text under %s", ([refusalShape, body]) =>
    withVendor({ refusalShape }, async (send) => {
      expect(await send("GET", "/sender-id/none")).toMatchObject({ status: 404, body });
    }),
  );

  test("a deleted record can have another status than an unknown one", () =>
    withVendor({ deletedStatus: 410 }, async (send, vendor) => {
      vendor.seed({ senderIds: [acme] });
      await send("DELETE", "/sender-id/ACME");
      expect((await send("DELETE", "/sender-id/ACME")).status).toBe(410);
      expect((await send("DELETE", "/sender-id/none")).status).toBe(404);
    }));

  test("a delete of an unknown record can succeed, without content", () =>
    withVendor({ deleteResponse: "no content", unknownDelete: "done" }, async (send) => {
      expect(await send("DELETE", "/group/5")).toMatchObject({ status: 204, text: "" });
    }));
});

describe("failures", () => {
  test("a gateway page after the work, at every third write", async () => {
    expect(await runAgainst(proxyPages, 6)).toStrictEqual([
      [201, true],
      [201, true],
      [502, true],
      [201, true],
      [201, true],
      [502, true],
    ]);
  });

  test.for<readonly [Failure["kind"], Failure["when"], number, boolean]>([
    ["connection lost", "before", 0, false],
    ["connection lost", "after", 0, true],
    ["gateway page", "before", 502, false],
    ["empty response", "after", 201, true],
    ["own refusal", "before", 503, false],
  ])("%s, %s the work", async ([kind, when, status, changed]) => {
    const failure: Failure = { kind, when, on: "POST", nth: 1, repeats: false };
    expect(await runAgainst(failure, 2)).toStrictEqual([
      [status, changed],
      [201, true],
    ]);
  });

  test.for([
    ["Retry-After", "retry-after", "1"],
    ["Retry-After date", "retry-after", "Thu, 01 Jan 1970 00:00:02 GMT"],
    ["X-RateLimit", "x-ratelimit-reset", "2"],
    ["none", "retry-after", null],
  ] as const)("over the rate: %s", async ([header, name, value]) => {
    let time = 1000;
    await withVendor(
      { rate: { ...fiveASecond, header } },
      async (send) => {
        for (let count = 0; count < 5; count += 1) {
          expect((await send("GET", "/group")).status).toBe(200);
        }
        const limited = await send("GET", "/group");
        expect(limited.status).toBe(429);
        expect(limited.headers.get(name)).toBe(value);
        time = 2000;
        expect((await send("GET", "/group")).status).toBe(200);
      },
      () => time,
    );
  });

  test("the losing relay loses the response, not the work", () =>
    withVendor({}, async (_, vendor) => {
      const relay = await openUnreliableRelay(vendor.baseUrl, 2, "lost");
      const create = (name: string): Promise<number> =>
        fetch(`${relay.baseUrl}/v1/group`, {
          method: "POST",
          headers: { Authorization: `Bearer ${vendor.key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ name }),
        }).then(
          ({ status }) => status,
          () => 0,
        );
      expect([await create("A"), await create("B"), await create("C")]).toStrictEqual([
        201, 0, 201,
      ]);
      expect(stateOf(vendor.records).groups.map(({ name }) => name)).toStrictEqual(["A", "B", "C"]);
      await relay.close();
    }));
});
