import { expect, test } from "vitest";
import { wrapLines } from "../../src/output/terminal.ts";

const help = [
  "Usage: sendctl group create [options] [name]",
  "  --send-birthday             send contacts a message on their birthday",
  "  9                           the group may have been created, or it may not",
].join("\n");

test("lines are wrapped between words, below their columns if these are too wide", async () => {
  expect((await wrapLines(help, 40)).split("\n")).toStrictEqual([
    "Usage: sendctl group create [options]",
    "[name]",
    "  --send-birthday",
    "      send contacts a message on their",
    "      birthday",
    "  9  the group may have been created, or",
    "     it may not",
  ]);
});

test("nothing is wrapped for a pipe, or with enough room", async () => {
  expect(await wrapLines(help, undefined)).toBe(help);
  expect(await wrapLines(help, 200)).toBe(help);
});

test("wide characters take two columns, and words stay whole", async () => {
  const wrapped = await wrapLines("グループ グループ グループ", 18);
  expect(wrapped).toBe("グループ グループ\nグループ");
});
