import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.mjs";

const client = createClient();

test("members of the fixture are congratulated", async () => {
  const customers = (await client.groups()).find(({ name }) => name === "Customers");
  assert.equal(customers.send_birthday, true);
  assert.equal(customers.birthday_message, "Happy birthday, {first_name}!");
});

test("members of a new group are congratulated once that is asked for", async () => {
  const { id, send_birthday } = await client.createGroup("Friends");
  assert.equal(send_birthday, false);
  const updated = await client.congratulate(id, "Cheers, {first_name}!");
  assert.equal(updated.send_birthday, true);
  assert.equal(updated.birthday_message, "Cheers, {first_name}!");
});

test("a key that nobody has is refused", async () => {
  const stranger = createClient(process.env.SENDCTL_BASE_URL, "sk_nobody");
  await assert.rejects(stranger.groups(), /^Error: 401 /);
});
