import { wrongNames } from "../engine/support/hostile-texts.ts";
import { page, senderId } from "./records.ts";
import { invalid, noSenderId, step, taken, type Case, type Step } from "./step.ts";

const purpose = "Alerts";

export const create = (id: number, name: string): Step =>
  step("sender-id.create", { body: { name, purpose } }, { data: senderId(id, name) });

const fetch = (id: number, name: string): Step =>
  step("sender-id.fetch", { path: { name } }, { data: senderId(id, name) });

const remove = (name: string): Step => step("sender-id.delete", { path: { name } }, { data: null });

const gone = (name: string): readonly Step[] => [
  step("sender-id.fetch", { path: { name } }, noSenderId(name)),
  step("sender-id.delete", { path: { name } }, noSenderId(name)),
];

const refused = (body: unknown, ...fields: readonly string[]): Step =>
  step("sender-id.create", { body }, invalid(...fields));

/** Checks that refused creates have stored nothing. */
const none = step("sender-id.list", { query: {} }, { data: page([]) });

export const senderIdCases: readonly Case[] = [
  {
    name: "a sender ID is created, listed, fetched and deleted",
    steps: [
      none,
      create(1, "ACME"),
      step("sender-id.list", { query: {} }, { data: page([senderId(1, "ACME")]) }),
      fetch(1, "ACME"),
      remove("ACME"),
      ...gone("ACME"),
      none,
    ],
  },
  {
    name: "the id of a sender ID is never reused, but its name can be",
    steps: [create(1, "ACME"), remove("ACME"), create(2, "ACME"), fetch(2, "ACME")],
  },
  {
    name: "names are unique and compared exactly",
    steps: [
      create(1, "ACME"),
      step("sender-id.create", { body: { name: "ACME", purpose: "Other" } }, taken("ACME")),
      create(2, "acme"),
      create(3, "é"),
      create(4, "e\u0301"),
      fetch(1, "ACME"),
      fetch(2, "acme"),
      fetch(3, "é"),
      fetch(4, "e\u0301"),
    ],
  },
  {
    name: "a purpose keeps its newlines and may have 1,000 characters",
    steps: ["one\n\ttwo", "p".repeat(1000), "😀".repeat(1000), " \"\\/' "].map((text, index) =>
      step(
        "sender-id.create",
        { body: { name: `Name ${index}`, purpose: text } },
        { data: senderId(index + 1, `Name ${index}`, text) },
      ),
    ),
  },
  {
    name: "ruling 4: a sender ID requires a name and a purpose",
    steps: [
      refused({ purpose }, "name"),
      refused({ name: "ACME" }, "purpose"),
      refused({}, "name", "purpose"),
      none,
    ],
  },
  {
    name: "ruling 5: invalid names",
    steps: [...wrongNames.map((name) => refused({ name, purpose }, "name")), none],
  },
  {
    name: "ruling 6: invalid purposes",
    steps: [
      ...["", "p".repeat(1001), "a\rb", "a\u0000", "\ude00", null, 7, true, [], {}].map((purpose) =>
        refused({ name: "ACME", purpose }, "purpose"),
      ),
      none,
    ],
  },
  {
    name: "ruling 11: unknown fields of a sender ID, reported in the given order",
    steps: [
      refused({ name: "ACME", purpose, status: "APPROVED", id: 1 }, "status", "id"),
      refused({ name: "", purpose: 1, y: 1, x: 2 }, "name", "purpose", "y", "x"),
      // As an own property, which an object literal cannot create.
      refused(JSON.parse('{"name":"A","purpose":"b","__proto__":1}'), "__proto__"),
      none,
    ],
  },
  {
    name: "sender ID bodies that are not objects",
    steps: [
      ...[null, [], [{ name: "ACME", purpose }], "{}", 1, true].map((body) =>
        refused(body, "body"),
      ),
      none,
    ],
  },
  {
    name: "ruling 3: names of sender IDs that do not exist",
    steps: [
      create(1, "ACME"),
      ...["1", "acme", "ACME ", "AC", "__proto__", "%41CME", "ACME?", ".", ".."].flatMap(gone),
      fetch(1, "ACME"),
    ],
  },
];
