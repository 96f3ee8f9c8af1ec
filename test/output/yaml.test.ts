import type { Printer } from "../../src/output/formats/format.ts";
import { assert, asyncProperty, dictionary, jsonValue, string } from "fast-check";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { yamlFormat } from "../../src/output/formats/yaml.ts";
import { linesOf } from "../../src/service/lines.ts";
import { groupView } from "../../src/output/views.ts";
import { cases } from "../support/fuzz-runs.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Prints to a printer and returns what was printed. */
async function printedBy(print: (printer: Printer) => Promise<void>): Promise<string> {
  let text = "";
  await print({
    print: async (more) => void (text += more),
    printJson: () => Promise.reject(new Error("YAML is not JSON")),
    printRaw: () => Promise.reject(new Error("YAML is not raw")),
    say: async () => {},
    isScreen: false,
    surface: () => Promise.reject(new Error("YAML has no colours")),
  });
  return text;
}

/** Returns a record as YAML. @param json data of the reply */
function recordText(json: string): Promise<string> {
  const text = `{"status":true,"message":"Done","data":${json}}`;
  const envelope = { status: true, message: "Done", data: JSON.parse(json) as unknown };
  const reply = { status: 200, text, envelope };
  return printedBy((printer) => yamlFormat.record(reply, groupView, printer, {}));
}

/** Returns a page of records as YAML. */
function listText(records: readonly string[]): Promise<string> {
  const text = `{"status":true,"message":"Done","data":{"data":[${records.join(",")}]}}`;
  const data = { data: records.map((record) => JSON.parse(record) as unknown) };
  const reply = { status: 200, text, envelope: { status: true, message: "Done", data } };
  const list = { message: "Done", count: records.length, total: records.length };
  return printedBy((printer) =>
    yamlFormat.list({ ...list, lines: linesOf(reply) }, groupView, printer, {}),
  );
}

/** All characters except lone surrogates, which UTF-8 cannot encode. */
const anyText = string({ unit: anyCharacter });
const anyRecord = dictionary(anyText, jsonValue({ stringUnit: anyCharacter }));

/** Characters that a terminal interprets, except line ends. */
const unsafe = /[^\P{Cc}\n]|[\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe("yaml", () => {
  test("is read back unchanged by YAML 1.1 and 1.2 readers", async ({ expect }) => {
    await assert(
      asyncProperty(anyRecord, anyRecord, async (one, other) => {
        const [text, ...texts] = [one, other, {}].map((value) => JSON.stringify(value));
        const [record, list] = [await recordText(text!), await listText(texts)];
        expect(record + list).not.toMatch(unsafe);
        for (const version of ["1.2", "1.1"] as const) {
          const read = [parse(record, { version }), ...parse(list, { version })] as unknown[];
          expect(read.map((value) => JSON.stringify(value))).toStrictEqual([text, ...texts]);
        }
      }),
      cases(300),
    );
  });

  test("quotes texts that look like other types", async ({ expect }) => {
    const words =
      "null,Null,~,true,YES,no,off,y,N,12,-1,0x1f,1e3,.inf,2026-01-31,1:30,,- a,a: b,a #b";
    const marks = "? a,*a,&a,!a,|,>,%a,@a,`a,{a,[a,'a,\"a,a:, a,a ,---,--- a,...,<<,=,#,😀,ü";
    const lines = ["a\n", "\na", " a\nb", "a\n\n", "a\r\nb"];
    const texts = [...words.split(","), ...marks.split(","), ...lines];
    const record = { texts, ...Object.fromEntries(texts.map((text) => [text, text])) };
    const text = await recordText(JSON.stringify(record));
    for (const version of ["1.2", "1.1"] as const) {
      expect(parse(text, { version, merge: true })).toStrictEqual(record);
    }
  });

  test("keeps all digits of numbers", async ({ expect }) => {
    const numbers = [
      "123456789012345678901234567890",
      "-0",
      "1.50",
      "0.10000000000000000555",
      "1E400",
    ];
    for (const [index, number] of numbers.entries()) {
      const json = `{"id":${number},"more":[ ${number},{"deep" : ${number}}],"id_${index}":1}`;
      const text = `id: ${number}\nmore:\n  - ${number}\n  - deep: ${number}\nid_${index}: 1\n`;
      expect(await recordText(json)).toBe(text);
    }
  });

  test("uses the last value of a duplicate field", async ({ expect }) => {
    expect(await recordText('{"a":1,"b":2,"a":1.50}')).toBe("a: 1.50\nb: 2\n");
  });

  test("writes long records as JSON", async ({ expect }) => {
    for (const length of [1, 300_000]) {
      const json = `{"a":"${"x".repeat(length)}",\n"b":${"[".repeat(97)}"\u202e"${"]".repeat(97)}}`;
      const [record, list] = [await recordText(json), await listText([json])];
      expect(record + list).not.toMatch(unsafe);
      expect(record.startsWith("{")).toBe(length > 1);
      expect(parse(record)).toStrictEqual(JSON.parse(json));
      expect(parse(list)).toStrictEqual([JSON.parse(json)]);
    }
  });
});
