import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { envelope, group, page, senderId } from "../client/sample-responses.ts";
import { runAgainst } from "../client/run-remote.ts";
import type { Script } from "../client/scripted-service.ts";
import { anyJson, anyWord, nastyText } from "./any-json.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { quickFolder } from "../support/quick-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(quickFolder, "sendctl-fuzz-"));
  const manifest =
    "sender_ids: [{name: ACME, purpose: Orders}]\n" +
    "groups: [{name: Customers, send_birthday: false, sender_id: ACME}, {name: New}]\n";
  await writeFile(join(folder, "manifest.yaml"), manifest);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All commands that use a service. */
const lines = [
  "sender-id create ACME --purpose Orders",
  "sender-id create ACME --purpose Orders --if-not-exists",
  "sender-id list",
  "sender-id list --all",
  "sender-id fetch ACME",
  "sender-id delete ACME --yes",
  "sender-id wait ACME --for APPROVED",
  "group create Friends",
  "group list --per-page 2 --page 2",
  "group list --all",
  "group fetch 12",
  "group update 12 --name Friends",
  "group delete 12 --yes",
  "group preview 12 --first-name Ada",
  "api GET /v1/group",
  "api DELETE /v1/group/1",
  "apply -f manifest.yaml --yes",
  "apply -f manifest.yaml --yes --prune --replace",
  "diff -f manifest.yaml",
  "export",
  "login --with-key",
  "doctor",
].map((line) => line.split(" "));

const formats = ["", "-o json", "-o jsonl", "-o csv", "-o yaml", "-o id", "--debug", "--quiet"].map(
  (words) => (words === "" ? [] : words.split(" ")),
);

const good = [
  envelope(group),
  envelope(senderId),
  envelope({ ...senderId, status: "APPROVED" }),
  envelope(null),
  envelope(page([group, { ...group, id: 13, contacts_count: 3 }])),
  envelope(page([senderId])),
  envelope(page([])),
  envelope(page([group], { total: 3, last_page: 3 })),
  { status: false, message: "No", data: null, errors: { name: ["Taken"] } },
].map((body) => JSON.stringify(body));

/** An envelope with one value replaced by any other. */
const withWrongValue = tuple(constantFrom(...good), nat(30), anyJson).map(
  ([text, which, value]) => {
    const values = [
      ...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"(?!:)|-?\d+|true|false|null)/g),
    ];
    const found = values[which % values.length];
    if (found === undefined) return value;
    return text.slice(0, found.index) + value + text.slice(found.index + found[0].length);
  },
);

const deep = constantFrom(
  "[".repeat(100_000),
  "[".repeat(100_000) + "]".repeat(100_000),
  `{"status":true,"message":"Deep","data":{"id":1,"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
  `{"status":true,"message":"Deep","data":${'{"data":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
  `{"status":true,"message":"Long","data":{"id":12345678901234567890,"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
  `{"status":false,"message":"Deep","data":null,"errors":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
);

const bytes = (text: string): Buffer => Buffer.from(text);
const body = oneof(
  { weight: 6, arbitrary: withWrongValue.map(bytes) },
  { weight: 4, arbitrary: constantFrom(...good).map(bytes) },
  { weight: 2, arbitrary: anyJson.map(bytes) },
  { weight: 1, arbitrary: deep.map(bytes) },
  { weight: 1, arbitrary: uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)) },
  {
    weight: 1,
    arbitrary: tuple(constantFrom(...good), nat(200)).map(([text, length]) =>
      bytes(text.slice(0, length)),
    ),
  },
  {
    weight: 1,
    arbitrary: nastyText.map((text) =>
      bytes(JSON.stringify({ status: false, message: text, data: null })),
    ),
  },
);

const status = oneof(
  { weight: 6, arbitrary: constantFrom(200, 201) },
  {
    weight: 3,
    arbitrary: constantFrom(204, 301, 304, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
  },
  { weight: 1, arbitrary: integer({ min: 200, max: 999 }) },
);

const headerText = oneof(
  string({ unit: "binary-ascii", maxLength: 12 }).map((text) => text.replaceAll(/[\0\r\n]/g, "")),
  anyWord("0 1 60 61 1e3 -1 Mon http://127.0.0.1:1/v1/group //elsewhere é gzip keep-alive"),
  constantFrom("9".repeat(30), "Sat, 31 Jan 2026 08:00:05 GMT", "\u009b31m"),
);
const header = tuple(
  anyWord("Retry-After Location Date Content-Type Content-Encoding Set-Cookie X"),
  headerText,
);

type Ending = "complete" | "truncated" | "hang up" | "chunked" | "short length";
const response = record({
  status,
  headers: array(header, { maxLength: 2 }),
  body,
  ending: oneof(
    { weight: 12, arbitrary: constant<Ending>("complete") },
    {
      weight: 1,
      arbitrary: constantFrom<Ending>("truncated", "hang up", "chunked", "short length"),
    },
  ),
});
type AnyResponse = typeof response extends { generate: (...all: never[]) => { value: infer Value } }
  ? Value
  : never;

/** Returns a script that sends the responses in turn, then a 404 that ends any command. */
function scriptOf(responses: readonly AnyResponse[]): Script {
  return (_, conversation) => {
    const { index, end, hangUp } = conversation;
    const given = responses[index];
    if (given === undefined) return conversation.respond(404, good.at(-1));
    if (given.ending === "hang up") return hangUp();
    const isChunked = given.ending === "chunked";
    const length = given.body.length + (given.ending === "truncated" ? 10 : 0);
    const announced = given.ending === "short length" ? Math.max(0, length - 3) : length;
    const head = [
      `HTTP/1.1 ${given.status} Fuzzed`,
      ...given.headers.map(([name, text]) => `${name}: ${text}`),
      isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${announced}`,
      "Connection: close",
    ];
    const chunk = isChunked ? `${given.body.length.toString(16)}\r\n` : "";
    end(
      Buffer.concat([
        Buffer.from(`${head.join("\r\n")}\r\n\r\n${chunk}`, "latin1"),
        given.body,
        Buffer.from(isChunked ? "\r\n0\r\n\r\n" : ""),
      ]),
    );
  };
}

const documented = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13];

/** Characters that a terminal interprets, except line ends. */
const unsafe = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;

describe("any response of a service", () => {
  test("is printed or reported, and leads to a documented exit code", timeout, async () => {
    await assert(
      asyncProperty(
        constantFrom(...lines),
        constantFrom(...formats),
        array(response, { minLength: 1, maxLength: 4 }),
        constantFrom(undefined, 80),
        async (line, format, responses, terminal) => {
          const args = [...format, ...line, ...(format.includes("json") ? ["--json"] : [])];
          const outcome = await runAgainst(scriptOf(responses), args, {
            home: folder,
            neverEnds: 60_000,
            ...(terminal === undefined ? {} : { terminal }),
            stdin: "sk_typed\n",
            env: { XDG_CONFIG_HOME: join(folder, "config"), SENDCTL_NO_INPUT: "1" },
          });
          const isData =
            line[0] === "api" ||
            format.includes("jsonl") ||
            format.includes("csv") ||
            format.includes("yaml") ||
            format.includes("id") ||
            line[0] === "export";
          const problems = outcome.violations.filter(
            (problem) =>
              !(problem.startsWith("a table") && (isData || terminal === undefined)) &&
              !problem.startsWith("a request with"),
          );
          expect(problems.length === 0 ? [] : [...problems, outcome.stderr.slice(0, 500)]).toEqual(
            [],
          );
          expect(documented).toContain(outcome.exitCode);
          const seen = terminal === undefined ? "" : outcome.stdout.replaceAll("\r\n", "\n");
          expect(seen).not.toMatch(unsafe);
        },
      ),
      cases(120),
    );
  });
});
