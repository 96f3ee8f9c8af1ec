import { describe, expect, test } from "vitest";
import { stateOf } from "./state.ts";
import { acme, withVendor } from "./with-vendor.ts";

test("the plain service follows the specification", () => {
  const now = Date.UTC(2026, 0, 31, 8, 0, 0, 123);
  return withVendor(
    {},
    async (send, vendor) => {
      expect(await send("POST", "/sender-id", acme)).toMatchObject({
        status: 201,
        body: {
          status: true,
          message: "Sender Id created",
          data: { id: 1, ...acme, status: "PENDING", created_at: "2026-01-31T08:00:00.123456Z" },
        },
      });
      const group = (await send("POST", "/group", { name: "VIP", send_birthday: true })).data;
      expect(group).toStrictEqual({
        id: 1,
        uuid: "00000000-0000-4000-abcd-000000000001",
        name: "VIP",
        send_birthday: true,
        send_holiday: null,
        birthday_message: null,
        created_at: "2026-01-31T08:00:00.123456Z",
      });
      expect((await send("GET", "/group?perPage=5")).data).toStrictEqual({
        data: [{ ...group, contacts_count: 0 }],
        current_page: 1,
        last_page: 1,
        per_page: 5,
        total: 1,
      });
      const change = { send_holiday: true, sender_id: "ACME" };
      expect((await send("PUT", "/group/1", change)).data).toStrictEqual({
        ...group,
        send_holiday: true,
      });
      expect((await send("DELETE", "/sender-id/ACME")).body).toStrictEqual({
        status: true,
        message: "Sender deleted",
        data: null,
      });
      expect((await send("GET", "/sender-id/ACME")).status).toBe(404);
      expect((await send("GET", "/nothing")).status).toBe(404);
      expect(vendor.violations).toStrictEqual([]);
      expect(vendor.requests.map(({ method, changed }) => `${method} ${changed}`)).toStrictEqual([
        "POST true",
        "POST true",
        "GET false",
        "PUT true",
        "DELETE true",
        "GET false",
        "GET false",
      ]);
    },
    () => now,
  );
});

test("violations of the specification are recorded", () =>
  withVendor({}, async (_, vendor) => {
    await fetch(`${vendor.baseUrl}/v1/group`, {
      method: "POST",
      headers: { "Content-Type": "text/plain", Accept: "application/json" },
      body: '{"name": 1, "colour": "red"}{}',
    });
    await fetch(`${vendor.baseUrl}/v1/group/1`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Accept: "*/*" },
      body: '{"name": null, "send_holiday": null, "colour": "red", "send_birthday": "true"}',
    });
    expect(vendor.violations).toStrictEqual([
      "POST /v1/group: Content-Type text/plain",
      "POST /v1/group: a body that is not one JSON object",
      "PUT /v1/group/1: name is null",
      "PUT /v1/group/1: an unknown field colour",
      "PUT /v1/group/1: send_birthday is not a boolean",
      "PUT /v1/group/1: Accept */*",
    ]);
    expect(vendor.requests.map(({ status }) => status)).toStrictEqual([401, 401]);
  }));

describe("records", () => {
  test("ids beyond 2^53 keep their digits, or are text", async () => {
    const firstId = 9007199254740993n;
    await withVendor({ firstId }, async (send) => {
      expect((await send("POST", "/group", { name: "A" })).text).toContain(`"id":${firstId},`);
      expect((await send("GET", `/group/${firstId}`)).status).toBe(200);
    });
    await withVendor({ firstId, idsAsText: true }, async (send) => {
      expect((await send("POST", "/group", { name: "A" })).text).toContain(`"id":"${firstId}",`);
    });
  });

  test("extra fields, fewer digits, no contacts_count", () =>
    withVendor(
      { extraFields: true, fractionDigits: 0, withoutContactsCount: true },
      async (send, vendor) => {
        vendor.seed({ groups: [{ name: "A", sender_id: "ACME", contacts: 3 }] });
        const [record] = (await send("GET", "/group")).data["data"] as readonly object[];
        expect(record).toMatchObject({
          user_id: 7,
          sender_id: "ACME",
          created_at: "2026-01-31T08:00:00Z",
          updated_at: "2026-01-31T08:00:00Z",
        });
        expect(record).not.toHaveProperty("contacts_count");
      },
    ));

  test.for([
    [{ trims: true }, "  Hi ", "Hi"],
    [{ trims: true }, "   ", ""],
    [{ emptyIsNull: true }, "", null],
    [{ trims: true, emptyIsNull: true }, "   ", null],
    [{}, "  Hi ", "  Hi "],
  ] as const)("with %j the text %j is stored as %j", ([switches, sent, stored]) =>
    withVendor(switches, async (send) => {
      const created = await send("POST", "/group", { name: "A", birthday_message: sent });
      expect(created.data["birthday_message"]).toBe(stored);
    }),
  );

  test.for([
    ["none", [201, 201, 201]],
    ["exact", [201, 201, 409]],
    ["any case", [201, 409, 409]],
  ] as const)("unique names: %s", ([uniqueNames, statuses]) =>
    withVendor({ uniqueNames }, async (send) => {
      const received: number[] = [];
      for (const name of ["ACME", "acme", "ACME"]) {
        received.push((await send("POST", "/sender-id", { ...acme, name })).status);
      }
      expect(received).toStrictEqual(statuses);
    }),
  );

  test("names in paths: in any case, the newest or the oldest", async () => {
    const seed = { senderIds: [acme, { ...acme, purpose: "Later" }] };
    await withVendor({ lookUp: "any case", namesake: "oldest" }, async (send, vendor) => {
      vendor.seed(seed);
      expect((await send("GET", "/sender-id/acme")).data["id"]).toBe(1);
    });
    await withVendor({}, async (send, vendor) => {
      vendor.seed(seed);
      expect((await send("GET", "/sender-id/acme")).status).toBe(404);
      expect((await send("GET", "/sender-id/ACME")).data["id"]).toBe(2);
    });
  });

  test("uuids in paths can be unsupported", () =>
    withVendor({ uuids: false }, async (send, vendor) => {
      vendor.seed({ groups: [{ name: "A" }] });
      expect((await send("GET", `/group/${vendor.records.groups.rows[0]!.uuid}`)).status).toBe(404);
    }));
});

describe("updates", () => {
  const seed = {
    groups: [{ name: "A", send_birthday: true, birthday_message: "Hi", sender_id: "1" }],
  };
  const before = { name: "A", send_birthday: true, send_holiday: null, birthday_message: "Hi" };
  const whole = { ...before, send_holiday: true };

  test.for([
    ["keeps omitted", { send_holiday: true }, 200, { ...whole, sender_id: "1" }],
    [
      "resets omitted",
      { name: "B" },
      200,
      { ...before, name: "B", send_birthday: false, birthday_message: null, sender_id: null },
    ],
    ["needs name", { send_holiday: true }, 422, { ...before, sender_id: "1" }],
    ["needs name", { name: "A", send_holiday: true }, 200, { ...whole, sender_id: "1" }],
    ["needs every field", { name: "B" }, 422, { ...before, sender_id: "1" }],
    ["needs every field", whole, 200, { ...whole, sender_id: "1" }],
  ] as const)("%s: %j gets %i", ([put, body, status, stored]) =>
    withVendor({ put }, async (send, vendor) => {
      vendor.seed(seed);
      expect((await send("PUT", "/group/1", body)).status).toBe(status);
      expect(stateOf(vendor.records).groups).toStrictEqual([{ id: "1", ...stored }]);
    }),
  );

  test.for([
    ["a name", ["ACME"], ["1", "x"]],
    ["an id", ["1"], ["ACME", "x"]],
    ["a name or id", ["1", "ACME"], ["x"]],
    ["any text", ["1", "ACME", "x"], []],
  ] as const)("sender_id is %s", ([senderIdIs, good, bad]) =>
    withVendor({ senderIdIs }, async (send, vendor) => {
      vendor.seed({ senderIds: [acme], ...seed });
      for (const sender_id of good) {
        expect((await send("PUT", "/group/1", { sender_id })).status).toBe(200);
      }
      for (const sender_id of bad) {
        expect((await send("PUT", "/group/1", { sender_id })).status).toBe(422);
      }
    }),
  );

  test("null is stored or refused", async () => {
    for (const [nulls, status] of [
      ["stored", 200],
      ["refused", 422],
    ] as const) {
      await withVendor({ nulls }, async (send, vendor) => {
        vendor.seed(seed);
        expect((await send("PUT", "/group/1", { birthday_message: null })).status).toBe(status);
      });
    }
  });
});
