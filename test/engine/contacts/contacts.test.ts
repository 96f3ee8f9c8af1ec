import * as fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import type {
  Birthday,
  Contact,
  ContactColumn,
  ImportOutcome,
  RecordStream,
} from "../../../src/contract/contacts.ts";
import type { Page, Service } from "../../../src/contract/service.ts";
import { createContacts, type Contacts } from "../../../src/engine/contacts/contacts.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { kindOtherThanSqlite, type TestDatabase } from "../support/test-database.ts";
import { cases } from "../../support/fuzz-runs.ts";
import { newEngine, someTime, insertGroup } from "../support/engine-fixtures.ts";

let database: TestDatabase;
let store: Store;
let engine: Service;
let contacts: Contacts;

beforeEach(async () => {
  ({ database, store, engine } = await newEngine());
  contacts = createContacts(store, 1, () => someTime);
  await engine["group.create"]({ body: { name: "Friends" } });
});

type Row = readonly string[];

interface ImportOptions {
  readonly columns?: readonly ContactColumn[];
  readonly country?: string;
  readonly skipInvalid?: boolean;
  readonly step?: (done: object) => Promise<void>;
  readonly into?: string;
  readonly by?: Contacts;
}

async function* inBatches(rows: readonly Row[], size: number) {
  for (let at = 0; at < rows.length; at += size) {
    yield rows.slice(at, at + size).map((cells, index) => ({ line: at + index + 2, cells }));
  }
}

function importRows(rows: readonly Row[], options: ImportOptions = {}): Promise<ImportOutcome> {
  const { by = contacts, into = "1", ...rest } = options;
  return by.importInto(into, {
    columns: ["phone", "first_name", "birth_date"],
    country: undefined,
    skipInvalid: false,
    step: async () => {},
    ...rest,
    lines: inBatches(rows, 3),
  });
}

async function deleteGroup(): Promise<void> {
  await engine["group.delete"]({ path: { id: "1" } });
}

async function createGroupWhileReading(done: object): Promise<void> {
  if ("read" in done) await engine["group.create"]({ body: { name: "Kin" } });
}

async function all<Item>(stream: RecordStream<Item>): Promise<Item[]> {
  if ("refusal" in stream) throw new Error(stream.refusal.text);
  const items: Item[] = [];
  for await (const some of stream.pages) items.push(...some);
  return items;
}

const listed = async (group = "1"): Promise<Contact[]> => all(await contacts.all(group, {}));

function contact(phone: string, first_name: string | null, birth_date: string | null): Contact {
  return { phone, first_name, birth_date };
}

const [ada, bea, cea] = ["+447911123401", "+447911123402", "+447911123403"] as const;

test("adds contacts, updates them by phone, and counts them", async () => {
  const first = await importRows([
    [bea, " Bea ", "1990-02-28"],
    [ada, "", ""],
    ["+44 7911 123402", "Beatrice", "--02-29"],
  ]);
  const record = { group_id: 1, group: "Friends", skipped: 0 };
  expect(first).toMatchObject({ diagnostics: [], invalidLines: 0, lines: 3 });
  expect(first.reply!.envelope).toEqual({
    status: true,
    message: "Contacts imported",
    data: {
      ...record,
      lines: 3,
      added: 2,
      updated: 0,
      unchanged: 0,
      duplicates: 1,
      contacts_count: 2,
    },
  });
  expect(await listed()).toEqual([contact(ada, null, null), contact(bea, "Beatrice", "--02-29")]);
  const second = await importRows([
    [ada, "Ada", ""],
    [bea, "Beatrice", "--02-29"],
    [cea, "", "2026-02-03"],
  ]);
  expect(second.reply!.envelope!.data).toEqual({
    ...record,
    lines: 3,
    added: 1,
    updated: 1,
    unchanged: 1,
    duplicates: 0,
    contacts_count: 3,
  });
});

test("imports all contacts of an import with several steps", async () => {
  const phones = Array.from({ length: 20_001 }, (_, n) => `+44791${1_000_000 + n}`);
  const written: number[] = [];
  const { reply } = await contacts.importInto("1", {
    columns: ["phone"],
    country: undefined,
    skipInvalid: false,
    step: async (done) => void ("written" in done && written.push(done.written)),
    lines: inBatches(
      phones.map((phone) => [phone]),
      5000,
    ),
  });
  expect(reply!.envelope!.data).toMatchObject({ added: 20_001, contacts_count: 20_001 });
  expect(written).toEqual([20_000, 20_001]);
  expect((await listed()).map(({ phone }) => phone)).toEqual(phones);
});

test("an empty field clears the value, and a missing column keeps it", async () => {
  await importRows([[ada, "Ada", "1990-01-31"]]);
  await importRows([[ada, ""]], { columns: ["phone", "first_name"] });
  expect(await listed()).toEqual([contact(ada, null, "1990-01-31")]);
  await importRows([["Ada", ada]], { columns: ["first_name", "phone"] });
  await importRows([[ada]], { columns: ["phone"] });
  expect(await listed()).toEqual([contact(ada, "Ada", "1990-01-31")]);
  await importRows([[ada, ""]], { columns: ["phone", "birth_date"] });
  expect(await listed()).toEqual([contact(ada, "Ada", null)]);
});

for (const [field, cells] of [
  ["phone", ["", "Ada", ""]],
  ["phone", ["07911123401", "", ""]],
  ["first_name", [ada, "A\nda", ""]],
  ["first_name", [ada, "A\u{7}da", ""]],
  ["first_name", [ada, "x".repeat(256), ""]],
  ["first_name", [ada, "😀".repeat(256), ""]],
  ["birth_date", [ada, "", "1990-02-29"]],
  ["birth_date", [ada, "", "1900-02-29"]],
  ["birth_date", [ada, "", "1990-2-3"]],
  ["birth_date", [ada, "", "31/01/1990"]],
  ["birth_date", [ada, "", "0000-01-01"]],
  ["birth_date", [ada, "", "--02-30"]],
  ["birth_date", [ada, "", "--00-01"]],
  // The clock of these tests is set to 2026-02-03.
  ["birth_date", [ada, "", "2026-02-05"]],
] as const) {
  test(`an invalid line prevents the import: ${JSON.stringify(cells).slice(0, 50)}`, async () => {
    const rows = [[bea, "", ""], cells, [cea, "", ""], [ada, "", ""]];
    const refused = await importRows(rows);
    expect(refused).toMatchObject({ invalidLines: 1, lines: 4, reply: undefined });
    expect(refused.diagnostics).toEqual([{ line: 3, field, reason: expect.stringMatching(/./) }]);
    expect(await listed()).toEqual([]);
    const imported = await importRows(rows, { skipInvalid: true });
    expect(imported).toMatchObject({ invalidLines: 1, diagnostics: refused.diagnostics });
    expect(imported.reply!.envelope!.data).toMatchObject({ added: 3, skipped: 1 });
  });
}

test("accepts the longest first name and all forms of a birth date", async () => {
  const rows: Row[] = [
    [ada, "😀".repeat(255), "2000-02-29"],
    [bea, "", "0001-01-01"],
    [cea, "", "--12-31"],
  ];
  expect((await importRows(rows)).invalidLines).toBe(0);
  expect((await listed())[0]!.first_name).toBe("😀".repeat(255));
});

test("reports the first hundred diagnostics and counts all", async () => {
  const { diagnostics, invalidLines } = await importRows(
    Array.from({ length: 250 }, () => ["x", "", ""]),
  );
  expect(diagnostics).toHaveLength(100);
  expect(invalidLines).toBe(250);
});

test("reads national numbers of the given country, and rejects an unknown country", async () => {
  await importRows([["07911 123401", "", ""]], { country: "gb" });
  expect(await listed()).toEqual([contact(ada, null, null)]);
  await expect(importRows([[bea, "", ""]], { country: "XX" })).rejects.toMatchObject({
    kind: "usage",
  });
});

test("does not find a group of another integration, or one deleted during the import", async () => {
  const other = createContacts(store, await database.addIntegration("other"), () => someTime);
  expect(await other.refusalOf("1")).toMatchObject({ status: 404 });
  expect(await contacts.refusalOf("1")).toBeUndefined();
  expect((await importRows([[ada, "", ""]], { by: other })).reply).toMatchObject({ status: 404 });
  expect(await other.list("1", {})).toMatchObject({ status: 404 });
  expect(await other.all("1", {})).toMatchObject({ refusal: { status: 404 } });
  for (const into of ["2", "x", "01", ""]) {
    expect((await importRows([[ada, "", ""]], { into })).reply).toMatchObject({ status: 404 });
  }
  expect((await importRows([[ada, "", ""]], { step: deleteGroup })).reply).toMatchObject({
    status: 404,
  });
});

test("finds a group by uuid, and deletes its contacts with it", async () => {
  const { envelope } = await engine["group.fetch"]({ path: { id: "1" } });
  const { uuid } = envelope!.data as { uuid: string };
  await importRows([[ada, "", ""]], { into: uuid.toUpperCase() });
  expect(await listed(uuid)).toHaveLength(1);
  await engine["group.delete"]({ path: { id: uuid } });
  expect(await database.rows("SELECT id FROM contact")).toEqual([]);
});

for (const moment of ["read", "written"]) {
  test(`an import that stops while contacts are ${moment} changes nothing`, async () => {
    await importRows([[ada, "Ada", ""]]);
    const stop = new Error("stopped");
    const step = async (done: object): Promise<void> => {
      if (moment in done) throw stop;
    };
    await expect(
      importRows(
        [
          [ada, "", ""],
          [bea, "", ""],
        ],
        { step },
      ),
    ).rejects.toBe(stop);
    expect(await listed()).toEqual([contact(ada, "Ada", null)]);
    // No lock is left behind.
    expect((await importRows([[bea, "", ""]])).reply).toMatchObject({ status: 200 });
  });
}

test("others can write while a file is read", async () => {
  expect(
    (await importRows([[ada, "", ""]], { step: createGroupWhileReading })).reply,
  ).toMatchObject({
    status: 200,
  });
});

test("after any imports, groups have the expected contacts and counts", async () => {
  await engine["group.create"]({ body: { name: "Kin" } });
  const phone = fc
    .integer({ min: 0, max: 12 })
    .map((n) => `+4479111234${String(n).padStart(2, "0")}`);
  const name = fc.constantFrom("", "Ada", "Bea");
  const date = fc.constantFrom("", "1990-01-31", "--02-29");
  const rows = fc.array(fc.tuple(phone, name, date), { maxLength: 12 });
  const columns = fc.subarray(["first_name", "birth_date"] as const);
  const one = fc.record({ rows, columns, into: fc.constantFrom("1", "2"), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 6 }), async (imports) => {
      await database.clearContacts();
      const model = { "1": new Map<string, Contact>(), "2": new Map<string, Contact>() };
      for (const { rows, columns, into, fails } of imports) {
        const given = rows.map(([phone, ...cells]) => [
          phone,
          ...columns.map((column) => cells[column === "first_name" ? 0 : 1]),
        ]);
        const outcome = await importRows(fails ? [...given, ["x"]] : given, {
          columns: ["phone", ...columns],
          into,
        });
        expect(outcome.reply === undefined).toBe(fails);
        if (fails) continue;
        const before = new Map(model[into]);
        for (const [phone, firstName, birthDate] of rows) {
          const old = before.get(phone) ?? contact(phone, null, null);
          model[into].set(phone, {
            phone,
            first_name: columns.includes("first_name") ? firstName || null : old.first_name,
            birth_date: columns.includes("birth_date") ? birthDate || null : old.birth_date,
          });
        }
        const phones = [...new Set(rows.map(([phone]) => phone))];
        const added = phones.filter((phone) => !before.has(phone)).length;
        const updated = phones.filter(
          (phone) =>
            before.has(phone) &&
            JSON.stringify(before.get(phone)) !== JSON.stringify(model[into].get(phone)),
        ).length;
        expect(outcome.reply!.envelope!.data).toMatchObject({
          lines: rows.length,
          added,
          updated,
          contacts_count: model[into].size,
          unchanged: phones.length - added - updated,
          duplicates: rows.length - phones.length,
        });
      }
      const { envelope } = await engine["group.list"]({ query: {} });
      const { data } = envelope!.data as Page<{ contacts_count: number }>;
      expect(data.map((group) => group.contacts_count)).toEqual([model["2"].size, model["1"].size]);
      for (const group of ["1", "2"] as const) {
        const expected = [...model[group].values()].toSorted((a, b) =>
          a.phone < b.phone ? -1 : 1,
        );
        expect(await listed(group)).toEqual(expected);
      }
    }),
    cases(kindOtherThanSqlite() === undefined ? 20 : 8),
  );
});

test("lists 2,500 contacts in pages and all at once", async () => {
  const phones = Array.from({ length: 2500 }, (_, index) => `+44791112${String(1000 + index)}`);
  await importRows(phones.map((phone) => [phone, "", ""]));
  expect((await listed()).map(({ phone }) => phone)).toEqual(phones);
  for (const [perPage, page] of [
    [1000, 1],
    [1000, 3],
    [15, 2],
    [7, 358],
    [10, 251],
  ] as const) {
    const { envelope } = await contacts.list("1", { perPage, page });
    const { data, ...rest } = envelope!.data as Page<Contact>;
    expect(data.map(({ phone }) => phone)).toEqual(
      phones.slice((page - 1) * perPage, page * perPage),
    );
    const last_page = Math.ceil(2500 / perPage);
    expect(rest).toEqual({ current_page: page, last_page, per_page: perPage, total: 2500 });
  }
  expect(await contacts.list("1", { perPage: 0 })).toMatchObject({ status: 422 });
});

const birthdays = async (on: string, days = 1): Promise<string[]> =>
  (await all<Birthday>(contacts.birthdays(on, days))).map(
    ({ date, contact: { phone }, group: { id } }) => `${date} ${phone.slice(-2)} of ${id}`,
  );

test("lists the birthdays of groups that send messages, in leap years and others", async () => {
  const sends = { send_birthday: true, birthday_message: "Hi" };
  await engine["group.update"]({ path: { id: "1" }, body: sends });
  await engine["group.create"]({ body: { name: "Kin", ...sends } });
  await engine["group.create"]({ body: { name: "None" } });
  const rows: Row[] = [
    [ada, "Ada", "1990-02-28"],
    [bea, "", "2000-02-29"],
    [cea, "", "--03-01"],
  ];
  for (const into of ["1", "3"]) await importRows(rows, { into });
  await importRows([[bea, "", "--02-28"]], { into: "2" });
  expect(await birthdays("2026-02-28")).toEqual([
    "2026-02-28 02 of 2",
    "2026-02-28 01 of 1",
    "2026-02-28 02 of 1",
  ]);
  expect(await birthdays("2024-02-28")).toEqual(["2024-02-28 02 of 2", "2024-02-28 01 of 1"]);
  expect(await birthdays("2024-02-29")).toEqual(["2024-02-29 02 of 1"]);
  expect(await birthdays("1900-02-28", 2)).toHaveLength(4);
  expect(await birthdays("2025-03-01", 366)).toHaveLength(5);
  expect(await birthdays("9999-12-31", 5)).toEqual([]);
  const other = createContacts(store, await database.addIntegration("other"), () => someTime);
  expect(await all(other.birthdays("2026-02-28", 366))).toEqual([]);
});

test("a birthday has the message and the sender ID of its group", async () => {
  await engine["sender-id.create"]({ body: { name: "ACME", purpose: "Alerts" } });
  const body = { send_birthday: true, birthday_message: "Hi", sender_id: "ACME" };
  await engine["group.update"]({ path: { id: "1" }, body });
  await importRows([[ada, "Ada", "1990-02-28"]]);
  expect(await all(contacts.birthdays("2026-02-28", 1))).toEqual([
    {
      date: "2026-02-28",
      contact: contact(ada, "Ada", "1990-02-28"),
      group: { id: 1, name: "Friends", birthday_message: "Hi" },
      sender_id: { name: "ACME", status: "PENDING" },
    },
  ]);
});

test("lists birthdays of more contacts and groups than one batch", async () => {
  const group = { send_birthday: true, send_holiday: null, birthday_message: null };
  const names = Array.from({ length: 1100 }, (_, index) => `Group ${index}`);
  const created = await Promise.all(names.map((name) => insertGroup(store, 1, { name, ...group })));
  const ids = created.map(({ id }) => id).toSorted((one, other) => one - other);
  await importRows(
    ids.map((_, index) => [`+4479${String(11_000_000 + index)}`, "", "--05-05"]),
    { into: String(ids[0]) },
  );
  for (const id of ids.slice(1)) await database.addContact(id, ada);
  await database.rows(`UPDATE contact SET birth_date = '--05-05' RETURNING id`);
  const found = await birthdays("2026-05-05");
  expect(found).toHaveLength(2199);
  expect(new Set(found.map((text) => text.split(" of ")[1])).size).toBe(1100);
});

test("adds a contact, and updates only the given fields", async () => {
  const add = async (given: { readonly phone: string; readonly first_name?: string }, by = "1") =>
    (await contacts.add(by, given, "GB")).envelope;
  expect(await add({ phone: ada, first_name: " Ada " })).toStrictEqual({
    status: true,
    message: "Contact added",
    data: contact(ada, "Ada", null),
  });
  expect(await add({ phone: "07911 123401" })).toMatchObject({
    message: "Contact unchanged",
    data: contact(ada, "Ada", null),
  });
  expect(await add({ phone: ada, first_name: "" })).toMatchObject({
    message: "Contact updated",
    data: contact(ada, null, null),
  });
  expect(await add({ phone: "x", first_name: "\n" })).toMatchObject({
    status: false,
    errors: { phone: [expect.any(String)] },
  });
  expect((await contacts.add("2", { phone: ada }, undefined)).status).toBe(404);
  await expect(contacts.add("1", { phone: ada }, "XX")).rejects.toMatchObject({
    kind: "usage",
    field: "--country",
  });
  expect(await listed()).toStrictEqual([contact(ada, null, null)]);
});

test("deletes contacts by phone and updates the count", async () => {
  await importRows([
    [ada, "", ""],
    [bea, "", ""],
    [cea, "", ""],
  ]);
  const phones = [cea, "07911 123401", cea, "nobody"];
  expect(await contacts.delete("1", phones, "GB")).toStrictEqual({
    deleted: [cea, ada],
    not_found: ["nobody"],
    reasons: { nobody: "is not a phone number, or more than one" },
  });
  expect(await listed()).toStrictEqual([contact(bea, null, null)]);
  const groups = await engine["group.list"]({ query: {} });
  expect(groups.envelope!.data).toMatchObject({ data: [{ id: 1, contacts_count: 1 }] });
  expect(await contacts.delete("2", [bea], undefined)).toMatchObject({ status: 404 });
  const other = createContacts(store, 2, () => someTime);
  expect(await other.delete("1", [bea], undefined)).toMatchObject({ status: 404 });
  expect(await listed()).toHaveLength(1);
});
