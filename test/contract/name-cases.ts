import { rightNames } from "../engine/support/hostile-texts.ts";
import { create as createGroup } from "./group-cases.ts";
import { group, page, senderId } from "./records.ts";
import { create } from "./sender-id-cases.ts";
import { noSenderId, step, type Case, type Step } from "./step.ts";

/** Valid names with a special meaning in URLs, HTTP, JSON or terminals. */
const hardNames: readonly string[] = [
  ...rightNames,
  "a/b",
  "/",
  "//evil.example/v1",
  "../group",
  "a/../b",
  "./a",
  "%",
  "%2e",
  "%2F",
  "%00",
  "%zz",
  "100%",
  "a b",
  "a+b",
  "a?b",
  "?perPage=1",
  "a#b",
  "a&b=c",
  "a;b",
  "a:b",
  "a@b",
  "a\\b",
  "..\\..",
  "\"'`",
  "{name}",
  "$&",
  "$1",
  "<b>",
  "مرحبا 123",
  "\u200f(a)",
  "1234567890123456789",
  "!*'()~-_",
  "\u{1f1e9}\u{1f1ea}",
  "/".repeat(255),
];

/** Names per case. Several exist at the same time, so that a mix-up of two is noticed. */
const batchSize = 12;

const fetched = (name: string, index: number): Step =>
  step("sender-id.fetch", { path: { name } }, { data: senderId(index + 1, name) });

const used = (name: string): Step =>
  step("group.update", { path: { id: "1" }, body: { sender_id: name } }, { data: group(1, "A") });

const deleted = (name: string): readonly Step[] => [
  step("sender-id.delete", { path: { name } }, { data: null }),
  step("sender-id.fetch", { path: { name } }, noSenderId(name)),
  step("sender-id.delete", { path: { name } }, noSenderId(name)),
];

function roundTrip(names: readonly string[]): readonly Step[] {
  const records = names.map((name, index) => senderId(index + 1, name)).toReversed();
  return [
    ...names.map((name, index) => create(index + 1, name)),
    step("sender-id.list", { query: {} }, { data: page(records) }),
    ...names.map(fetched),
    createGroup(1, "A"),
    ...names.map(used),
    ...names.flatMap(deleted),
    step("sender-id.list", { query: {} }, { data: page([]) }),
  ];
}

const uniqueNames = [...new Set(hardNames)];
const batches = Array.from({ length: Math.ceil(uniqueNames.length / batchSize) }, (_, index) =>
  uniqueNames.slice(index * batchSize, (index + 1) * batchSize),
);

export const nameCases: readonly Case[] = batches.map((names) => ({
  name: `sender IDs called ${names.map((name) => JSON.stringify(name).slice(0, 12)).join(", ")}`,
  steps: roundTrip(names),
}));
