import { strayKeys, wrongFlags, wrongNames } from "../engine/support/hostile-texts.ts";
import { group, listedGroup, page } from "./records.ts";
import { create as createSenderId } from "./sender-id-cases.ts";
import { invalid, noGroup, step, type Case, type Step } from "./step.ts";

const name = "Friends";
const path = { id: "1" };
const all = {
  name: "Kin",
  send_birthday: true,
  send_holiday: false,
  birthday_message: "Hi {first_name}",
};

export const create = (id: number, name: string): Step =>
  step("group.create", { body: { name } }, { data: group(id, name) });

const update = (body: unknown, data: unknown): Step =>
  step("group.update", { path, body }, { data });

const unchanged = step("group.fetch", { path }, { data: group(1, name) });

const remove = (id: string): Step => step("group.delete", { path: { id } }, { data: null });

const gone = (id: string): readonly Step[] => [
  step("group.fetch", { path: { id } }, noGroup(id)),
  step("group.update", { path: { id }, body: {} }, noGroup(id)),
  step("group.delete", { path: { id } }, noGroup(id)),
];

const refusedCreate = (body: unknown, ...fields: readonly string[]): Step =>
  step("group.create", { body }, invalid(...fields));

const refusedUpdate = (body: unknown, ...fields: readonly string[]): Step =>
  step("group.update", { path, body }, invalid(...fields));

/** Refusals that must leave group 1 unchanged. */
const refusals = (...steps: readonly Step[]): readonly Step[] => [
  create(1, name),
  ...steps,
  unchanged,
  step("group.list", { query: {} }, { data: page([listedGroup(1, name)]) }),
];

export const groupCases: readonly Case[] = [
  {
    name: "a group is created, listed, fetched, updated and deleted",
    steps: [
      step("group.list", { query: {} }, { data: page([]) }),
      create(1, name),
      step("group.list", { query: {} }, { data: page([listedGroup(1, name)]) }),
      unchanged,
      update(all, group(1, "Kin", all)),
      step("group.fetch", { path }, { data: group(1, "Kin", all) }),
      step("group.list", { query: {} }, { data: page([listedGroup(1, "Kin", all)]) }),
      remove("1"),
      ...gone("1"),
      step("group.list", { query: {} }, { data: page([]) }),
    ],
  },
  {
    name: "a create sets all fields that it accepts",
    steps: [
      step(
        "group.create",
        { body: { birthday_message: "Hi\r\n{first_name} {x}", send_birthday: true, name } },
        {
          data: group(1, name, { send_birthday: true, birthday_message: "Hi\r\n{first_name} {x}" }),
        },
      ),
      step(
        "group.create",
        { body: { name, send_birthday: false, birthday_message: null } },
        { data: group(2, name) },
      ),
    ],
  },
  {
    name: "ruling 8: a birthday message may have 1,600 characters",
    steps: ["m".repeat(1600), "😀".repeat(1600), "\u001b[31m"].map((birthday_message, index) =>
      step(
        "group.create",
        { body: { name, birthday_message } },
        { data: group(index + 1, name, { birthday_message }) },
      ),
    ),
  },
  {
    name: "ruling 21: the id of a group is never reused",
    steps: [
      create(1, name),
      remove("1"),
      create(2, name),
      remove("2"),
      create(3, name),
      ...gone("2"),
    ],
  },
  {
    name: "ruling 20: a group can be addressed by its uuid",
    steps: [
      create(1, "One"),
      create(2, "Two"),
      step("group.fetch", { path: { id: "uuid:2" } }, { data: group(2, "Two") }),
      step("group.fetch", { path: { id: "uuid:1" } }, { data: group(1, "One") }),
      step("group.update", { path: { id: "uuid:2" }, body: { name } }, { data: group(2, name) }),
      step("group.delete", { path: { id: "uuid:2" } }, { data: null }),
      ...gone("uuid:2"),
      ...gone("2"),
      step("group.fetch", { path }, { data: group(1, "One") }),
    ],
  },
  {
    name: "rulings 4 and 13: an update changes the given fields, and {} changes nothing",
    steps: [
      create(1, name),
      update({}, group(1, name)),
      update({ send_birthday: true }, group(1, name, { send_birthday: true })),
      update({ send_holiday: true }, group(1, name, { send_birthday: true, send_holiday: true })),
      update(all, group(1, "Kin", all)),
      update({}, group(1, "Kin", all)),
      update({ name }, group(1, name, all)),
    ],
  },
  {
    name: "ruling 13: null clears nullable fields",
    steps: [
      createSenderId(1, "ACME"),
      create(1, name),
      update({ ...all, sender_id: "ACME" }, group(1, "Kin", all)),
      update({ birthday_message: null }, group(1, "Kin", { ...all, birthday_message: null })),
      update({ birthday_message: "Hi" }, group(1, "Kin", { ...all, birthday_message: "Hi" })),
      update(
        { send_holiday: null },
        group(1, "Kin", { ...all, birthday_message: "Hi", send_holiday: null }),
      ),
      update({ sender_id: null, birthday_message: null }, group(1, "Kin", { send_birthday: true })),
    ],
  },
  {
    name: "ruling 14: sender_id is the name or the id of a sender ID, and is never returned",
    steps: [
      createSenderId(1, "ACME"),
      createSenderId(2, "a/b 😀"),
      create(1, name),
      ...["ACME", "1", "a/b 😀", "2"].map((sender_id) => update({ sender_id }, group(1, name))),
      unchanged,
      ...["acme", "ACME ", "", "01", "3", "999", "1.0", "\ud800", "9".repeat(30)].map((sender_id) =>
        refusedUpdate({ sender_id, name: "Not this" }, "sender_id"),
      ),
      ...[1, true, ["ACME"], {}].map((sender_id) => refusedUpdate({ sender_id }, "sender_id")),
      unchanged,
    ],
  },
  {
    name: "ruling 15: a sender ID that a group uses can be deleted",
    steps: [
      createSenderId(1, "ACME"),
      create(1, name),
      update({ sender_id: "ACME" }, group(1, name)),
      step("sender-id.delete", { path: { name: "ACME" } }, { data: null }),
      unchanged,
      refusedUpdate({ sender_id: "ACME" }, "sender_id"),
      refusedUpdate({ sender_id: "1" }, "sender_id"),
    ],
  },
  {
    name: "ruling 4: a group requires a name",
    steps: refusals(refusedCreate({}, "name"), refusedCreate({ send_birthday: true }, "name")),
  },
  {
    name: "ruling 7: invalid group names",
    steps: refusals(
      ...wrongNames.flatMap((name) => [
        refusedCreate({ name }, "name"),
        refusedUpdate({ name, send_birthday: true }, "name"),
      ]),
    ),
  },
  {
    name: "ruling 8: invalid birthday messages",
    steps: refusals(
      ...["", "m".repeat(1601), "a\u0000", "\ud800", 0, false, ["Hi"], {}].flatMap((message) => [
        refusedCreate({ name, birthday_message: message }, "birthday_message"),
        refusedUpdate({ birthday_message: message }, "birthday_message"),
      ]),
    ),
  },
  {
    name: "rulings 10 and 11: unknown and forbidden fields of a group",
    steps: refusals(
      refusedCreate({ name, send_holiday: true }, "send_holiday"),
      refusedCreate({ name, sender_id: null }, "sender_id"),
      refusedCreate({ name, uuid: "u", id: 7 }, "uuid", "id"),
      refusedUpdate({ contacts_count: 7, send_holiday: 1 }, "contacts_count", "send_holiday"),
      refusedUpdate({ birthdayMessage: "Hi" }, "birthdayMessage"),
      refusedUpdate(JSON.parse('{"__proto__":{"name":"a"}}'), "__proto__"),
    ),
  },
  {
    name: "rulings 12 and 13: invalid booleans",
    steps: refusals(
      ...[...wrongFlags, null].flatMap((flag) => [
        refusedCreate({ name, send_birthday: flag }, "send_birthday"),
        refusedUpdate({ send_birthday: flag }, "send_birthday"),
      ]),
      ...wrongFlags.map((flag) => refusedUpdate({ send_holiday: flag }, "send_holiday")),
    ),
  },
  {
    name: "group bodies that are not objects",
    steps: refusals(
      ...[null, [], [{ name }], "{}", 1, true].flatMap((body) => [
        refusedCreate(body, "body"),
        refusedUpdate(body, "body"),
      ]),
    ),
  },
  {
    name: "ruling 3: ids of groups that do not exist",
    steps: refusals(
      ...[
        "2",
        "01",
        "+1",
        "1e0",
        name,
        "{1}",
        "%31",
        "1?",
        "1/",
        "1#",
        ".",
        "..",
        ...urlKeys(),
      ].flatMap(gone),
      // Errors in the body take precedence over an unknown id.
      step("group.update", { path: { id: "7" }, body: { name: 1 } }, invalid("name")),
    ),
  },
];

/** Keys that a URL can contain: not empty, and without lone surrogates. Commands refuse an empty key themselves. */
function urlKeys(): readonly string[] {
  return strayKeys.filter((key) => key !== "" && key.isWellFormed());
}
