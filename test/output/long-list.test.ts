import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createOutput } from "../../src/output/create-output.ts";
import type { FormatName } from "../../src/output/formats/formats.ts";
import type { Collector } from "../../src/output/output.ts";
import { onePageReply, type Line } from "../../src/output/replies.ts";
import { createSecrets } from "../../src/output/secrets/secrets.ts";
import { loadStyle } from "../../src/output/style.ts";
import { groupView } from "../../src/output/views.ts";
import { createWriter } from "../../src/output/writer.ts";
import { openSpool } from "../../src/runtime/spool.ts";
import { quickFolder } from "../support/quick-folder.ts";

const key = "hush-hush";
const held = 5000;

interface Printed {
  readonly shown: string;
  readonly files: number;
}

/** Prints records with an output of its own. Records are added in batches. */
async function print(
  name: FormatName,
  lines: readonly Line[],
  isColoured: boolean,
  isLong: boolean,
): Promise<Printed> {
  let shown = "";
  let files = 0;
  const secrets = createSecrets();
  secrets.addKey(key);
  const writer = createWriter(
    () => ({
      isTTY: false,
      on: () => {},
      write: (text, done) => {
        shown += text;
        done();
        return true;
      },
    }),
    { name: "stdout", isData: true },
    secrets,
  );
  const output = createOutput(name, false, {
    out: writer,
    err: writer,
    width: () => undefined,
    messageWidth: () => undefined,
    isWatched: () => false,
    style: () => loadStyle(isColoured),
    elapsed: () => 0,
    secrets,
    spool: () => {
      files += 1;
      return openSpool({ env: { TMPDIR: quickFolder }, folder: quickFolder });
    },
    isCsvSafe: false,
    query: undefined,
  });
  const message = `null\n      null\n${key}`;
  if (isLong) {
    const whole = async ({ add, clear }: Collector) => {
      await add(lines);
      clear();
      for (let at = 0; at < lines.length; at += 999) await add(lines.slice(at, at + 999));
      return { message };
    };
    await output.stream({ whole, each: () => Promise.reject(new Error()) }, groupView);
  } else await output.page(onePageReply(message, lines), groupView);
  return { shown, files };
}

/** Texts of records that JSON.stringify would write in another way. */
const oddTexts = [
  `{"id":1,"id":2}`,
  `{"id":12345678901234567890,"contacts_count":1.0e3}`,
  `{ "id" : 1,\n "name": "\\u0041\\/" , "empty": [ ], "none": {} }`,
  `{"name":"${key}","${key}":[{"deep":[["${key}",null]]}]}`,
  `${'{"name":'.repeat(60)}[]${"}".repeat(60)}`,
].map((text): Line => ({ record: JSON.parse(text) as Line["record"], text }));

const oddText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", " ", "\t\r\n", "👩‍👩‍👧‍👦 誕生日", "\u001b[31m", key, "null", "x".repeat(300)),
);
const someLine = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.constant<Line>({ record: { id: 2n ** 64n }, text: `{"id":${2n ** 64n}}` }),
  fc
    .record(
      {
        id: fc.nat(),
        name: oddText,
        send_birthday: fc.boolean(),
        birthday_message: fc.oneof(oddText, fc.jsonValue()),
        contacts_count: fc.double({ noNaN: true, noDefaultInfinity: true }),
      },
      { requiredKeys: [] },
    )
    .map((given): Line => {
      const text = JSON.stringify(given);
      return { record: JSON.parse(text) as Line["record"], text };
    }),
);

describe.each(["json", "table"] as const)("a long list as %s", (name) => {
  test("is printed like a list in memory", async () => {
    const lines = fc.array(someLine, { minLength: 1, maxLength: 8 });
    const count = fc.constantFrom(1, held - 1, held, held + 1, held + 150);
    await fc.assert(
      fc.asyncProperty(lines, count, fc.boolean(), async (some, total, isColoured) => {
        const all = Array.from({ length: total }, (_, index) => some[index % some.length]!);
        const long = await print(name, all, isColoured, true);
        const short = await print(name, all, isColoured, false);
        expect(long.shown === short.shown).toBe(true);
        expect({ short: short.files, long: long.files }).toStrictEqual({
          short: 0,
          // The list is started twice.
          long: total > held ? 2 : 0,
        });
      }),
      { numRuns: 12 },
    );
  });
});
