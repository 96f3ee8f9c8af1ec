import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.mjs";

const client = createClient();

test("contacts of the fixture get birthday messages", async () => {
  const customers = (await client.groups()).find(({ name }) => name === "Customers");
  assert.equal(customers.send_birthday, true);
  assert.equal(customers.birthday_message, "Happy birthday, {first_name}!");
});

test("contacts of a new group get birthday messages once that is turned on", async () => {
  const { id, send_birthday } = await client.createGroup("Friends");
  assert.equal(send_birthday, false);
  const updated = await client.congratulate(id, "Cheers, {first_name}!");
  assert.equal(updated.send_birthday, true);
  assert.equal(updated.birthday_message, "Cheers, {first_name}!");
});

test("an unknown key is refused", async () => {
  const stranger = createClient(process.env.SENDCTL_BASE_URL, "sk_nobody");
  await assert.rejects(stranger.groups(), /^Error: 401 /);
});
