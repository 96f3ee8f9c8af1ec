import {
  array,
  assert,
  boolean,
  constantFrom,
  jsonValue,
  oneof,
  property,
  string,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { indentedJson, pageItems } from "../../src/core/json-text.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Any JSON value, with strings that resemble JSON structure. */
const anyValue = oneof(
  jsonValue({ stringUnit: anyCharacter, maxDepth: 4 }),
  jsonValue({ stringUnit: constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "\n", " ", "😀") }),
);
const layout = constantFrom(undefined, 0, 1, 4, "\t", "\n \r\n");

describe("indentedJson", () => {
  test("formats like JSON.stringify, whatever the original layout", () => {
    assert(
      property(anyValue, layout, (value, space) => {
        const expected = `${JSON.stringify(value, null, 2)}\n`;
        expect(indentedJson(JSON.stringify(value, null, space))).toBe(expected);
        expect(indentedJson(expected)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    "12345678901234567890",
    "1.0",
    "-0",
    "-0.0",
    "1e400",
    "1E+2",
    "0.1000000000000000055511151231257827",
    "true",
    "null",
    '"\\u00e9\\/\\ud83c\\udf82"',
    '"\\\\"',
    '"\\\\\\""',
  ])("keeps %s unchanged", (scalar) => {
    expect(indentedJson(scalar)).toBe(`${scalar}\n`);
    expect(indentedJson(`[${scalar},${scalar}]`)).toBe(`[\n  ${scalar},\n  ${scalar}\n]\n`);
    expect(indentedJson(`{"a" :${scalar} }`)).toBe(`{\n  "a": ${scalar}\n}\n`);
  });

  test("keeps duplicate fields and their order", () => {
    expect(indentedJson('{"b":1,"a":2,"b":3,"1":4}')).toBe(
      '{\n  "b": 1,\n  "a": 2,\n  "b": 3,\n  "1": 4\n}\n',
    );
  });

  test("keeps empty objects and arrays on one line", () => {
    expect(indentedJson(' { "a" : [ ] , "b" : { } , "c" : "" } ')).toBe(
      '{\n  "a": [],\n  "b": {},\n  "c": ""\n}\n',
    );
    expect(indentedJson("[\n]")).toBe("[]\n");
    expect(indentedJson("[[],[{}]]")).toBe("[\n  [],\n  [\n    {}\n  ]\n]\n");
  });
});

describe("pageItems", () => {
  const records = array(anyValue, { maxLength: 5 });

  test("returns the unchanged text of every record of a list", () => {
    assert(
      property(records, layout, (items, space) => {
        const page = { data: items, current_page: 1, total: items.length };
        const envelope = { status: true, message: "data", data: page };
        const texts = pageItems(JSON.stringify(envelope, null, space));
        // Not read with JSON.parse, which takes one key for another in some versions of Node 24.
        expect(texts.map((text) => indentedJson(text))).toStrictEqual(
          items.map((item) => indentedJson(JSON.stringify(item))),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("ignores other lists", () => {
    assert(
      property(records, anyValue, string(), boolean(), (items, decoy, name, isFirst) => {
        // Only data.data has the records. Other fields may have the same name.
        const others = {
          [`${name}!`]: { data: [decoy, { data: [decoy] }] },
          list: [decoy, [decoy]],
        };
        const page = isFirst ? { data: items, ...others } : { ...others, data: items };
        const envelope = isFirst
          ? { data: page, ...others, extra: ["data", [decoy]] }
          : { extra: ["data", [decoy]], ...others, data: page };
        const texts = pageItems(JSON.stringify(envelope));
        expect(texts).toStrictEqual(items.map((item) => JSON.stringify(item)));
      }),
      { numRuns: 500 },
    );
  });

  test("keeps the digits, the white space and the order within a record", () => {
    const records = [
      '{"id":12345678901234567890,"x":1.0}',
      '{ "b" : 1,\n"a":[ 1 , 2 ] }',
      "-0.0",
      '"],["',
    ];
    const list = records.join(" , ");
    expect(pageItems(`{"data":{"data":[ ${list} ],"total":4}}`)).toStrictEqual(records);
  });

  test.each(['{"data":{"data":[1],"data":[2,3]}}', '{"data":{"data":[1]},"data":{"data":[2,3]}}'])(
    "uses the last of duplicate fields: %s",
    (text) => {
      expect(pageItems(text)).toStrictEqual(["2", "3"]);
    },
  );

  test.each([
    '{"status":true,"data":null}',
    '{"status":true,"data":{"data":[]}}',
    '{"status":true,"data":{"data":[ ]}}',
    '{"status":true,"data":{"data":{"data":[1]}}}',
    '{"status":true,"data":[1,2]}',
    '{"status":true,"data":[{"data":[1]}]}',
    '{"data":{"items":[1],"data":null}}',
    '[{"data":{"data":[1]}}]',
    "[]",
    "1",
  ])("finds none in %s", (text) => {
    expect(pageItems(text)).toStrictEqual([]);
  });
});
