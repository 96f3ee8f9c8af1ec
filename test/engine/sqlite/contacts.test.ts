import { expect, onTestFinished, test } from "vitest";
import { createContacts } from "../../../src/engine/contacts/contacts.ts";
import { migrations } from "../../../src/engine/sqlite/connection/migrations.ts";
import { openSqliteStore, contactMethods } from "../../../src/engine/sqlite/store.ts";
import { newFolder, someTime, withDatabase } from "../support/engine-fixtures.ts";
import { plansOf } from "./query-plans.ts";

test("a database of version 1 is migrated with its contacts", async () => {
  const { file } = await newFolder();
  withDatabase(file, (database) => {
    database.exec(migrations[0]!);
    database.exec(`
      PRAGMA application_id = 0x5343544c; PRAGMA user_version = 1;
      INSERT INTO contact_group (integration_id, uuid, name, send_birthday, created_at)
      VALUES (1, 'u', 'Friends', 1, 0);
      INSERT INTO contact (group_id, phone, birth_date) VALUES (1, '+447911123401', '1990-02-28')`);
  });
  const store = openSqliteStore(file, () => someTime);
  onTestFinished(() => store.close());
  const contacts = createContacts(store, 1, () => someTime);
  const found: unknown[] = [];
  for await (const page of contacts.birthdays("2026-02-28", 1).pages) found.push(...page);
  expect(found).toHaveLength(1);
});

test("birthdays are looked up by index", async () => {
  const plans = await plansOf((queries) =>
    contactMethods(queries, "", () => expect.unreachable()).contactsBornOn(1, "02-28", 0, 10),
  );
  expect(plans).toEqual([
    expect.stringMatching(/INDEX contact_by_birthday \(group_id=\? AND <expr>=\?/),
  ]);
});
