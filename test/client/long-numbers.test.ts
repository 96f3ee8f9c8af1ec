import { describe, test } from "vitest";
import { answering, group } from "./sample-responses.ts";
import { runAgainst } from "./run-remote.ts";
import type { Script } from "./scripted-service.ts";

/** Returns an envelope with data that JSON.stringify cannot produce. */
const rawEnvelope = (data: string): string => `{"status":true,"message":"Done","data":${data}}`;

/** Returns a group with an id that JSON.stringify cannot produce. */
const record = (id: string): string =>
  JSON.stringify({ ...group, id: 0 }).replace('"id":0', `"id":${id}`);

const onlyPage = (...records: readonly string[]): string =>
  `{"data":[${records.join(",")}],"current_page":1,"last_page":1,"per_page":9,"total":${records.length}}`;

const list = (...ids: readonly string[]): string => rawEnvelope(onlyPage(...ids.map(record)));

describe("numbers that a double cannot represent", () => {
  // One per response, because a longer number switches the whole response to the lossless parser.
  test.for([
    ["16 digits", "9007199254740993"],
    ["16 digits, negative", "-9007199254740993"],
    ["17 digits", "12345678901234567"],
    ["20 digits", "12345678901234567890"],
    ["30 digits", "123456789012345678901234567890"],
  ] as const)("keep their digits: %s", async ([, long], { expect }) => {
    const one = rawEnvelope(record(long));
    const byId = [
      [["group", "fetch", long], one],
      [["group", "update", long, "--name", group.name], one],
    ] as const;
    const cases: readonly (readonly [args: readonly string[], text: string])[] = [
      ...(long.startsWith("-") ? [] : byId),
      [["group", "list"], list("13", long)],
      [["group", "list", "--all"], list("9007199254740992", long, "12")],
    ];
    for (const [args, text] of cases) {
      for (const format of [[], ["--json"], ["-o", "jsonl"]]) {
        const result = await runAgainst(answering(200, text), [...args, ...format]);
        expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
        expect(result.stdout, args.join(" ")).toContain(long);
      }
    }
  });

  test.for(["9007199254740993", '"9007199254740993"', '"12345678901234567890"'])(
    "are kept in the path of a group that is addressed by its name: %s",
    async (id, { expect }) => {
      // Without a uuid, only the id leads to the group.
      const shown = record(id).replace(/"uuid":"[^"]*",/, "");
      const script: Script = ({ target }, { respond }) =>
        respond(200, rawEnvelope(target.startsWith("/v1/group?") ? onlyPage(shown) : shown));
      const args = ["group", "delete", `name:${group.name}`, "--yes"];
      const result = await runAgainst(script, args);
      expect(result).toMatchObject({ exitCode: 0, violations: [] });
      expect(result.requests.at(-1)).toBe(`DELETE /v1/group/${id.replaceAll('"', "")}`);
    },
  );

  test("do not include 16-digit numbers that a double can represent", async ({ expect }) => {
    for (const id of ["1234567890123456", "9007199254740991"]) {
      const args = ["group", "fetch", id, "--json"];
      const result = await runAgainst(answering(200, rawEnvelope(record(id))), args);
      expect(JSON.parse(result.stdout)).toMatchObject({ data: { id: Number(id) } });
    }
  });
});
