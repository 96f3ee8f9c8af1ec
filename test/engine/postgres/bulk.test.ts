import { expect, test } from "vitest";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { insertGroup } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere, openStore, runSql } from "./postgres-database.ts";

const group = { send_birthday: true, send_holiday: null, birthday_message: null };

/** Selects the integrations and groups whose totals are wrong. */
const wrongTotals = `
  SELECT 'integration' AS of, id FROM integration
  WHERE sender_id_total <> (SELECT count(*) FROM sender_id WHERE integration_id = integration.id)
    OR contact_group_total <>
      (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)
  UNION ALL SELECT 'contact_group', id FROM contact_group
  WHERE contacts_count <> (SELECT count(*) FROM contact WHERE group_id = contact_group.id)`;

const open = (url: string): Promise<Store> => openStore(url, () => 1);

async function* twoContacts() {
  yield ["+441", "+442"].map((phone) => ({ phone, first_name: null, birth_date: "--02-28" }));
}

const given = ["phone", "first_name", "birth_date"] as const;

/** Imports two contacts into a group, and calls `meanwhile` after they are written. */
async function importTwo(
  store: Store,
  id: number,
  meanwhile: () => Promise<void>,
  integration = 1,
) {
  return store.importContacts(integration, { id }, twoContacts(), given, { step: meanwhile });
}

describeOnPostgres((server) => {
  /** Returns the numbers of records, and which totals are wrong. */
  async function check(url: string) {
    const maintenance = createPostgresMaintenance({ url, shown: "" }, nowhere, 5000);
    const schema = new URL(url).searchParams.get("schema")!;
    const problems = await runSql(server(), schema, wrongTotals);
    return { problems, ...(await maintenance.info()) };
  }

  test("during an import, others write, and see none of its contacts", async () => {
    const url = server().url("beside");
    const [store, other] = [await open(url), await open(url)];
    const { id } = await insertGroup(store, 1, { name: "Friends", ...group });
    const imported = await importTwo(store, id, async () => {
      await other.insertIntegration("other");
      expect(await insertGroup(other, 2, { name: "Theirs", ...group })).toMatchObject({ id: 2 });
      expect(await other.updateGroup(1, { id }, { name: "Kin" })).toMatchObject({
        name: "Kin",
        contacts_count: 0,
      });
      expect(await other.contactsAfter(1, id, "", 10)).toEqual([]);
      expect(await other.contactsBornOn(1, id, "02-28")).toEqual([]);
      expect(await check(url)).toMatchObject({ problems: [], contacts: 0 });
    });
    expect(imported).toMatchObject({ added: 2, group: { name: "Kin", contacts_count: 2 } });
    expect(await check(url)).toMatchObject({ problems: [], contacts: 2 });
  });

  test.each(["group", "integration"])("a %s is deleted once an import has ended", async (what) => {
    const url = server().url(`gone_${what}`);
    const [store, other] = [await open(url), await open(url)];
    await store.insertIntegration("doomed");
    const { id } = await insertGroup(store, 2, { name: "Friends", ...group });
    let deleted: Promise<boolean> | undefined;
    const deleteIt = async (): Promise<void> => {
      deleted = what === "group" ? other.deleteGroup(2, { id }) : other.deleteIntegration("doomed");
      await insertGroup(other, 1, { name: "Others write", ...group });
    };
    expect(await importTwo(store, id, deleteIt, 2)).toMatchObject({ added: 2 });
    expect(await deleted).toBe(true);
    expect(await check(url)).toMatchObject({ problems: [], contacts: 0, groups: 1 });
  });

  test("two imports into a group at once are counted correctly", async () => {
    const url = server().url("two");
    const [store, other] = [await open(url), await open(url)];
    const { id } = await insertGroup(store, 1, { name: "Friends", ...group });
    const imported = await Promise.all(
      [store, other, store].map((one) => importTwo(one, id, async () => {})),
    );
    expect(imported.map((one) => one!.added).toSorted((one, other) => one - other)).toEqual([
      0, 0, 2,
    ]);
    expect(await check(url)).toMatchObject({ problems: [], contacts: 2 });
  });

  test("an import that PostgreSQL rolls back is not repeated, because its input is used up", async () => {
    const url = server().url("deadlock");
    const store = await open(url);
    const { id } = await insertGroup(store, 1, { name: "Friends", ...group });
    // PostgreSQL reports a deadlock once.
    await runSql(
      server(),
      "deadlock",
      "CREATE SEQUENCE deadlocks",
      `CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('deadlock.deadlocks') < 2 THEN RAISE SQLSTATE '40P01'; END IF;
         RETURN NEW;
       END $$`,
      `CREATE TRIGGER deadlock BEFORE INSERT ON contact
       FOR EACH ROW EXECUTE FUNCTION deadlock()`,
    );
    await expect(importTwo(store, id, async () => {})).rejects.toMatchObject({
      kind: "database",
      details: { database: "locked" },
    });
    expect(await store.contactsAfter(1, id, "", 10)).toEqual([]);
    // A failed nextval is not undone.
    expect(await importTwo(store, id, async () => {})).toMatchObject({ added: 2 });
  });
});
