import { describe, expect, test } from "vitest";
import { always200Gateway } from "./always-200-gateway.ts";
import { laravelStyle } from "./laravel-style.ts";
import { stateOf } from "./state.ts";
import { emptyCreates, strictAndFlaky } from "./strict-and-flaky.ts";
import { acme, twenty, withVendor } from "./with-vendor.ts";

describe("the three vendors", () => {
  test("in the style of Laravel", () =>
    withVendor(laravelStyle, async (send, vendor) => {
      expect((await send("POST", "/sender-id", acme)).status).toBe(200);
      expect(await send("POST", "/sender-id", { ...acme, name: " acme" })).toMatchObject({
        status: 422,
        body: { errors: { name: ["The name has already been taken."] } },
      });
      expect(await send("GET", "/group/77")).toMatchObject({ status: 404, body: {} });
      const browser = await fetch(`${vendor.baseUrl}/v1/group`, { redirect: "manual" });
      expect([browser.status, browser.headers.get("location")]).toStrictEqual([302, "/login"]);
    }));

  test("behind a gateway that always sends 200", () =>
    withVendor(always200Gateway, async (send) => {
      expect(await send("GET", "/sender-id/none")).toMatchObject({
        status: 200,
        text: '{"status":false,"message":"Sender not found"}',
      });
    }));

  test("strict and flaky", () =>
    withVendor({ ...strictAndFlaky, rate: undefined }, async (send, vendor) => {
      expect(await send("GET", "/group?page=1")).toMatchObject({
        status: 400,
        body: { error: { description: "Unknown query parameter: page" } },
      });
      for (const { name } of twenty.slice(0, emptyCreates.nth))
        await send("POST", "/group", { name });
      expect(vendor.requests.slice(1).map(({ status }) => status)).toStrictEqual([
        201, 201, 502, 201, 201,
      ]);
      expect(stateOf(vendor.records).groups).toHaveLength(5);
    }));
});
