import { describe, expect, test } from "vitest";
import { transports, type Client } from "./clients.ts";

const whole = { name: "Friends", send_birthday: true, birthday_message: "Hi" };

async function filled(client: Client): Promise<Client> {
  await client.send("POST", "/v1/group", whole);
  await client.send("PUT", "/v1/group/1", { send_holiday: true });
  return client;
}

const updated = async (client: Client, body: object): Promise<unknown> => {
  const { json } = await client.send("PUT", "/v1/group/1", body);
  const { send_birthday, send_holiday, birthday_message } = json["data"];
  return { send_birthday, send_holiday, birthday_message };
};

for (const [transport, open] of Object.entries(transports)) {
  describe(`over ${transport}`, () => {
    test("reset gives omitted fields the values of a new group", async () => {
      const client = await filled(await open({ omitted_in_update: "reset" }));
      const initial = { send_birthday: false, send_holiday: null, birthday_message: null };
      expect(await updated(client, {})).toEqual(initial);
    });

    test("an ignored null keeps the stored value, even if omitted fields are reset", async () => {
      const client = await open({ omitted_in_update: "reset", null_in_update: "ignored" });
      await client.send("POST", "/v1/group", whole);
      const kept = { send_birthday: false, send_holiday: null, birthday_message: "Hi" };
      expect(await updated(client, { birthday_message: null })).toEqual(kept);
    });

    test("a required field that is null and ignored has been given", async () => {
      const client = await filled(
        await open({
          group_update_requires: "nothing",
          null_in_update: "ignored",
        }),
      );
      const other = await open({ group_update_requires: "every_field", null_in_update: "ignored" });
      await other.send("POST", "/v1/group", whole);
      const body = { ...whole, send_holiday: null, birthday_message: null };
      for (const one of [client, other]) {
        expect(await updated(one, body)).toMatchObject({ birthday_message: "Hi" });
      }
    });

    test("a default page size over a smaller largest size is not needed", async () => {
      const client = await filled(await open({ per_page_max: 10, per_page_default: 10 }));
      const { json } = await client.send("GET", "/v1/group");
      expect(json["data"].per_page).toBe(10);
      expect((await client.send("GET", "/v1/group?perPage=11")).status).toBe(422);
    });

    test("a message without room for fields names them", async () => {
      for (const [error_body, name] of [
        ["message", "message"],
        ["error", "error"],
      ] as const) {
        const client = await open({ error_body });
        const { json } = await client.send("POST", "/v1/group", { colour: "red" });
        expect(json).toEqual({
          [name]: expect.stringMatching(
            /^The request is invalid: name is required; colour is unknown/,
          ),
        });
      }
    });

    test("a sender ID of a create is stored, or the create changes nothing", async () => {
      const client = await open({ update_fields_in_create: "stored" });
      await client.send("POST", "/v1/sender-id", { name: "ACME", purpose: "Alerts" });
      await (
        await client.engine.integration(undefined)
      ).review({ name: "ACME", status: "APPROVED" });
      const bad = await client.send("POST", "/v1/group", { ...whole, sender_id: "NOBODY" });
      expect([bad.status, Object.keys(bad.json["errors"])]).toEqual([422, ["sender_id"]]);
      await client.send("POST", "/v1/group", { ...whole, sender_id: "ACME" });
      const { json } = await client.send("GET", "/v1/group");
      expect(json["data"]).toMatchObject({ total: 1, data: [{ id: 1 }] });
      const contacts = await (await client.engine.integration(undefined)).contacts();
      const contact = { phone: "+447911123401", birth_date: "1990-02-03" };
      await contacts.add("1", contact, undefined);
      const senders: unknown[] = [];
      for await (const birthdays of contacts.birthdays("2026-02-03", 1).pages) {
        senders.push(...birthdays.map(({ sender_id }) => sender_id));
      }
      expect(senders).toEqual([{ name: "ACME", status: "APPROVED" }]);
    });
  });
}
