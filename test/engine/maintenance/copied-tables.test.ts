import { expect, test } from "vitest";
import { tableColumns } from "../../../src/engine/store/stored.ts";
import { newEngine } from "../support/engine-fixtures.ts";

/** Columns that the target computes. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  integration: [
    "sender_id_total",
    "sender_id_changes",
    "contact_group_total",
    "contact_group_changes",
    "newest",
  ],
  contact_group: ["contacts_count"],
  contact: ["id"],
};

test("every column of the real tables is copied or computed by the target", async () => {
  const { database, store, engine } = await newEngine();
  await engine["sender-id.create"]({ body: { name: "ACME", purpose: "Orders" } });
  await engine["group.create"]({ body: { name: "Friends" } });
  await store.insertKey("default", new Uint8Array(32), "abcd");
  await database.addContact(1, "+447700900123");
  for (const [name, columns] of Object.entries(tableColumns)) {
    const [row] = await database.rows<object>(`SELECT * FROM ${name}`);
    const own = ownColumns[name] ?? [];
    // Only PostgreSQL stores the integration of a contact.
    const copied = columns.filter((column) => name !== "contact" || column in row!);
    const real = Object.keys(row!).filter((column) => !own.includes(column));
    expect([name, copied.toSorted()]).toEqual([name, real.toSorted()]);
  }
});
