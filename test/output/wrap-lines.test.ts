import { expect, test } from "vitest";
import { wrapLines } from "../../src/output/terminal.ts";

const text = [
  "sendctl: the group may have been created, or it may not",
  "  the lines of an item are indented alike",
].join("\n");

test("lines are wrapped between words, and those of an item are indented", async () => {
  expect((await wrapLines(text, 30)).split("\n")).toStrictEqual([
    "sendctl: the group may have",
    "been created, or it may not",
    "  the lines of an item are",
    "  indented alike",
  ]);
});

test("nothing is wrapped for a pipe, or with enough room", async () => {
  expect(await wrapLines(text, undefined)).toBe(text);
  expect(await wrapLines(text, 200)).toBe(text);
});

test("wide characters take two columns, and words stay whole", async () => {
  const wrapped = await wrapLines("グループ グループ グループ", 18);
  expect(wrapped).toBe("グループ グループ\nグループ");
});
