import type { FormatName } from "../../src/output/formats/format.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOutput } from "../../src/output/output.ts";
import { onePageReply, type Line } from "../../src/service/lines.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import { type OutputStream, processRuntime } from "../../src/core/runtime.ts";
import { groupView } from "../../src/output/views.ts";
import { createWriter } from "../../src/output/terminal.ts";
import { anyCharacter } from "../support/any-character.ts";

const key = "hush-hush";

/** Prints records with an output of its own. @param isWhole whether they are added in batches */
async function print(
  format: FormatName,
  lines: readonly Line[],
  isColoured: boolean,
  isWhole: boolean,
): Promise<string> {
  let shown = "";
  const secrets = createSecrets();
  secrets.addKey(key);
  const stream: OutputStream = {
    isTTY: false,
    on: () => {},
    write: (text, done) => {
      shown += text;
      done();
      return true;
    },
  };
  const writer = createWriter(() => stream, true, secrets);
  const runtime = { ...processRuntime(), stdout: stream, stderr: stream, env: {} };
  const output = createOutput(runtime, { out: writer, err: writer }, secrets, {
    format,
    isFormatOfEnvironment: false,
    isQuiet: false,
    isPlain: false,
    takesColour: () => isColoured,
    csv: { isSafe: false, hasMark: false },
    query: undefined,
    database: undefined,
  });
  const message = `null\n      null\n${key}`;
  if (isWhole) {
    await output.stream(async ({ add, clear }) => {
      await add(lines);
      clear!();
      for (let at = 0; at < lines.length; at += 99) await add(lines.slice(at, at + 99));
      return message;
    }, groupView);
  } else await output.page(onePageReply(message, lines), groupView);
  return shown;
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
  fc.string({ unit: anyCharacter }),
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

test.each(["json", "table"] as const)("a whole list as %s is printed like a page", async (name) => {
  const lines = fc.array(someLine, { minLength: 1, maxLength: 8 });
  const count = fc.constantFrom(0, 1, 99, 100, 101, 350);
  await fc.assert(
    fc.asyncProperty(lines, count, fc.boolean(), async (some, total, isColoured) => {
      const all = Array.from({ length: total }, (_, index) => some[index % some.length]!);
      const whole = await print(name, all, isColoured, true);
      expect(whole).toBe(await print(name, all, isColoured, false));
    }),
    { numRuns: 30 },
  );
});
