import { describe, test } from "vitest";
import { answering, envelope, group, page } from "../sample-responses.ts";
import { runAgainst, type RunOptions } from "../run-remote.ts";

/** Without bounds, each case takes minutes or overflows the stack. None of them takes a second. */
const timeout = { timeout: 20_000 };

const spaces = " ".repeat(400_000);
const record = JSON.stringify(group);
const fetch = ["group", "fetch", "12"];
const search = ["group", "list", "--search", "x"];
const marks = `a${"\u0301\u0316".repeat(200_000)}`;
const formats = ["jsonl", "yaml"].map((format) => [...fetch, "-o", format]);

/** Returns the envelope of the record with the JSON of a value as its name. */
const named = (json: string): string =>
  JSON.stringify(envelope(group)).replace('"Customers"', () => json);
const nested = (open: string, close: string): string =>
  `${open.repeat(20_000)}1${close.repeat(20_000)}`;
const tooDeep = "127.0.0.1:\\d+ \\(HTTP 200\\): it is nested deeper than 100 levels";

interface Case {
  readonly commands: readonly (readonly string[])[];
  readonly status?: number;
  readonly body: unknown;
  readonly exitCode: number;
  /** Matches stderr. */
  readonly stderr?: string;
  readonly options?: RunOptions;
}

const cases: Readonly<Record<string, Case>> = {
  "spaces in a refusal": {
    commands: [fetch, [...fetch, "--json"], ["group", "create", "A"]],
    status: 422,
    body: { status: false, message: `${spaces}Bad${spaces}name${spaces}`, data: null },
    exitCode: 6,
    stderr: "sendctl: Bad",
  },
  "an unclosed title": {
    commands: [fetch],
    status: 422,
    body: "<title ".repeat(50_000),
    exitCode: 6,
    stderr: "HTTP 422",
  },
  "30,000 errors": {
    commands: [fetch],
    status: 422,
    body: { message: "Invalid", errors: Array.from({ length: 30_000 }, (_, n) => `error ${n}`) },
    exitCode: 6,
    stderr: "Invalid: error 0; .*error 19 \\(HTTP 422",
  },
  "nested errors": {
    commands: [fetch, [...fetch, "--json"]],
    status: 422,
    body: nested('{"error":', "}"),
    exitCode: 6,
    stderr: 'HTTP 422: \\{"error":',
  },
  "spaces in a record": {
    commands: formats,
    body: `{"status":true,\n"message":"Done","data":${record.replace(":", `:\n${spaces}`)}}`,
    exitCode: 0,
  },
  "a nested record": {
    commands: [
      fetch,
      [...fetch, "--query", "name", "--json"],
      ["group", "preview", "12"],
      ...formats,
    ],
    body: named(nested("[", "]")),
    exitCode: 10,
    stderr: tooDeep,
  },
  "a nested created record": {
    commands: [["group", "create", "A"]],
    body: named(nested("[", "]")),
    exitCode: 9,
  },
  "a nested record, unchanged": {
    commands: [["api", "GET", "/v1/group/12"]],
    body: named(nested("[", "]")),
    exitCode: 0,
  },
  "a nested record in a list": {
    commands: [
      ["group", "list"],
      ["group", "list", "--all", "--query", "[].name"],
    ],
    body: JSON.stringify(envelope(page([0]))).replace("[0]", `[{"id":1,"a":${nested("[", "]")}}]`),
    exitCode: 10,
    stderr: tooDeep,
  },
  "a number of 4 million digits": {
    commands: [fetch],
    body: named("9".repeat(4_000_000)),
    exitCode: 10,
    stderr: "a number has more than 1000 digits",
  },
  "marks in a searched name": {
    commands: [search],
    body: envelope(page([{ ...group, name: marks }])),
    exitCode: 0,
  },
  "a long text on a terminal": {
    commands: [fetch],
    body: envelope({ ...group, name: "word ".repeat(60_000), other: "क्".repeat(60_000) }),
    exitCode: 0,
    options: { terminal: 40 },
  },
  "a long label and a long text in a table": {
    commands: [fetch, ["group", "list"]],
    body: envelope({
      ...group,
      ...page(Array.from({ length: 2000 }, (_, id) => ({ ...group, id, name: id ? "A" : spaces }))),
      ["x".repeat(400_000)]: 1,
    }),
    exitCode: 0,
  },
};

describe("foreign text is bounded before it is used", timeout, () => {
  test.for(Object.entries(cases))("%s", async ([, given], { expect }) => {
    for (const args of given.commands) {
      const result = await runAgainst(
        answering(given.status ?? 200, given.body),
        args,
        given.options,
      );
      expect(result, args.join(" ")).toMatchObject({
        exitCode: given.exitCode,
        violations: [],
      });
      expect(result.stderr, args.join(" ")).toMatch(new RegExp(given.stderr ?? "", "s"));
    }
  });
});
