import { expect, onTestFinished, test } from "vitest";
import { readAddress } from "../../../src/engine/postgres/connection/address.ts";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import { openQueries } from "../../../src/engine/postgres/queries.ts";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { insertGroup } from "../support/engine-fixtures.ts";
import { until } from "../../support/waiting.ts";
import { describeOnPostgres, nowhere, openStore } from "./postgres-database.ts";

const group = { send_birthday: true, send_holiday: null, birthday_message: null };

const open = (url: string): Promise<Store> => openStore(url, () => 1);

async function* twoContacts() {
  yield ["+441", "+442"].map((phone) => ({ phone, firstName: null, birthDate: "--02-28" }));
}

const given = { firstName: true, birthDate: true };

/** Imports two contacts into a group, and calls `meanwhile` after they are written. */
async function importTwo(
  store: Store,
  id: number,
  meanwhile: () => Promise<void>,
  integration = 1,
) {
  return store.importContacts(integration, { id }, twoContacts(), given, meanwhile);
}

async function check(url: string) {
  const maintenance = createPostgresMaintenance({ url, shown: "" }, nowhere, 5000);
  return { check: await maintenance.check(), info: await maintenance.info() };
}

describeOnPostgres((server) => {
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
      expect(await other.contactsAfter(id, "", 10)).toEqual([]);
      expect(await other.contactsBornOn(id, "02-28")).toEqual([]);
      expect(await check(url)).toMatchObject({
        check: { problem_count: 0 },
        info: { contacts: 0 },
      });
    });
    expect(imported).toMatchObject({ added: 2, group: { name: "Kin", contacts_count: 2 } });
    expect(await check(url)).toMatchObject({ check: { problem_count: 0 }, info: { contacts: 2 } });
  });

  test.each(["group", "integration"])(
    "an import into a %s that is deleted meanwhile leaves nothing",
    async (what) => {
      const url = server().url(`gone_${what}`);
      const [store, other] = [await open(url), await open(url)];
      await store.insertIntegration("doomed");
      const { id } = await insertGroup(store, 2, { name: "Friends", ...group });
      const deleteIt = async (): Promise<void> => {
        const deleted =
          what === "group" ? other.deleteGroup(2, { id }) : other.deleteIntegration("doomed");
        expect(await deleted).toBe(true);
        await insertGroup(other, 1, { name: "Others write", ...group });
      };
      const imported = await importTwo(store, id, deleteIt, 2);
      expect(imported).toBeUndefined();
      expect(await check(url)).toMatchObject({
        check: { problem_count: 0 },
        info: { contacts: 0, groups: 1 },
      });
      const queries = await openQueries(readAddress(url, nowhere));
      onTestFinished(() => queries.close());
      // A sweep passes rows that the import still locks; the next one removes them.
      await until("the rows are removed", async () => {
        const swept = await insertGroup(other, 1, { name: "Deleted", ...group });
        await other.deleteGroup(1, { id: swept.id });
        const left = await queries.select("SELECT id FROM contact_group");
        return left.length === 1;
      });
    },
  );

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
    expect(await check(url)).toMatchObject({ check: { problem_count: 0 }, info: { contacts: 2 } });
  });

  test("an import is repeated after a deadlock, although its input is used up", async () => {
    const url = server().url("deadlock");
    const store = await open(url);
    const { id } = await insertGroup(store, 1, { name: "Friends", ...group });
    const queries = await openQueries(readAddress(url, nowhere));
    onTestFinished(() => queries.close());
    // PostgreSQL reports a deadlock twice.
    for (const sql of [
      "CREATE SEQUENCE deadlocks",
      `CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('deadlocks') < 3 THEN RAISE SQLSTATE '40P01'; END IF;
         RETURN NEW;
       END $$`,
      `CREATE TRIGGER deadlock BEFORE INSERT ON contact
       FOR EACH ROW EXECUTE FUNCTION deadlock()`,
    ]) {
      await queries.row(sql);
    }
    const imported = await importTwo(store, id, async () => {});
    expect(imported).toMatchObject({ added: 2, duplicates: 0, group: { contacts_count: 2 } });
    expect(await store.contactsAfter(id, "", 10)).toHaveLength(2);
  });

  test("what an interrupted deletion leaves is not visible, and the next writer removes it", async () => {
    const url = server().url("interrupted");
    const queries = await openQueries(readAddress(url, nowhere));
    onTestFinished(() => queries.close());
    const before = await openPostgresStore(url, nowhere, () => 1);
    await before.insertIntegration("doomed");
    const key = await insertGroup(before, 2, { name: "Friends", ...group });
    const own = await insertGroup(before, 1, { name: "Friends", ...group });
    await before.insertSenderId(2, { name: "ACME", purpose: "p", status: "PENDING" });
    await importTwo(before, own.id, async () => {});
    await before.close();
    // The first half of both deletions.
    await queries.row("UPDATE integration SET name = NULL WHERE name = 'doomed'");
    await queries.row("UPDATE contact_group SET integration_id = NULL WHERE id = $1", own.id);
    await queries.row("UPDATE integration SET contact_group_total = 0 WHERE id = 1");
    expect(key.id).toBe(1);
    expect(await check(url)).toMatchObject({
      check: { problem_count: 0 },
      info: { integrations: 1, groups: 0, contacts: 0, sender_ids: 0 },
    });
    const store = await open(url);
    expect(await store.integrations()).toHaveLength(1);
    await expect(insertGroup(store, 2, { name: "Late", ...group })).rejects.toMatchObject({
      kind: "auth",
    });
    await until("the rows are removed", async () => {
      const [left] = await queries.select<{ count: number }>(
        `SELECT (SELECT count(*) FROM contact_group) + (SELECT count(*) FROM contact)
           + (SELECT count(*) FROM sender_id) + (SELECT count(*) FROM integration) AS count`,
      );
      return left!.count === 1;
    });
    expect(await store.insertIntegration("doomed")).toMatchObject({ id: 3 });
  });
});
