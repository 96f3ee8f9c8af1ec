import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { phrasesIn } from "./banned-phrases.mjs";

const documents = [
  ...readdirSync("."),
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((file) => `docs/${file}`),
].filter((file) => file.endsWith(".md"));

test.each(documents)("%s has no banned phrase", (file) => {
  const text = readFileSync(file, "utf8");
  const found = phrasesIn(text).map(({ phrase, offset }) => {
    const line = text.slice(0, offset).split("\n").length;
    return `${file}:${line}: ${phrase}`;
  });
  expect(found).toEqual([]);
});

test("a banned phrase is found in any case and across lines", () => {
  const found = phrasesIn(
    "Nobody was told.\n * Begin\n * Anew; it is no\n// file, and is no longer there.",
  );
  const expected = ["reported, shown or printed", "again", "is not a"];
  expect(found.map(({ instead }) => instead)).toEqual(expected);
});
