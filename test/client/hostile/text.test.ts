import { describe, test } from "vitest";
import {
  answering,
  commands,
  envelope,
  group,
  page,
  scriptFor,
  senderId,
} from "../sample-responses.ts";
import { runAgainst, unsafe } from "../run-remote.ts";

/** Clears the screen, changes colours, rings the bell, overwrites the line and reverses the text. */
const hostile =
  "\u001b[2J\u001b[31mred\u0007\u009b1m\u202eevil\u2066\u061c\u0000\u007f\u2028\r\nnext\ttab\ud800";

/** The start of its escaped form. */
const shown = String.raw`\u001b[2J\u001b[31mred\u0007\u009b1m\u202eevil\u2066`;

/** Pipes, a terminal wide enough for one line, and a narrow one. */
const surfaces = [undefined, 1000, 60] as const;

/** Joins the lines of a table. */
const flat = (text: string): string => text.replaceAll(/[\s│├┼┤─┌┬┐└┴┘]/g, "");

describe.for(surfaces)("in %s columns", (terminal) => {
  const options = terminal === undefined ? {} : { terminal };
  const fields = [
    ...Object.keys(senderId).map((field) => ["sender-id", field, senderId, "ACME"] as const),
    ...[...Object.keys(group), "contacts_count"].map(
      (field) => ["group", field, group, "12"] as const,
    ),
  ];

  test.for(fields)("of a %s, the %s is shown escaped", async (given, { expect }) => {
    const [noun, field, usual, key] = given;
    const record = { ...usual, [field]: hostile };
    const fetching = answering(200, envelope(record));
    const fetched = await runAgainst(fetching, [noun, "fetch", key], options);
    const isAnother = field === (noun === "group" ? "id" : "name");
    expect(fetched).toMatchObject({ exitCode: isAnother ? 10 : 0, violations: [] });
    expect(flat(isAnother ? fetched.stderr : fetched.stdout)).toContain(shown);
    const listing = answering(200, envelope(page([record])));
    const listed = await runAgainst(listing, [noun, "list"], options);
    expect(listed).toMatchObject({ exitCode: 0, violations: [] });
  });

  test("the name and nested values of a field", async ({ expect }) => {
    const record = { id: 12, [hostile]: 1, inner: { [hostile]: [hostile] } };
    const result = await runAgainst(answering(200, envelope(record)), commands.GET, options);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(flat(result.stdout)).toContain(shown);
  });

  const changing = (Object.keys(commands) as (keyof typeof commands)[]).filter(
    (way) => way !== "GET",
  );

  test.for(changing)("no message after %s", async (way, { expect }) => {
    const record = way === "POST sender-id" ? senderId : group;
    const data = way === "DELETE" ? null : record;
    const result = await runAgainst(
      scriptFor(way, answering(200, envelope(data, hostile))),
      commands[way],
      options,
    );
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    // People read what was done in our words.
    expect(result.stderr).not.toContain("evil");
  });

  const refusal = { status: false, message: "No", data: null };
  test.for([
    ["a message", { ...refusal, message: hostile }],
    ["an error", { ...refusal, errors: { name: [hostile] } }],
    ["a field", { ...refusal, errors: { [hostile]: ["is short"] } }],
    ["an error alone", { error: hostile }],
    ["text", hostile],
  ] as const)("a refusal's: %s", async ([, body], { expect }) => {
    for (const [status, exitCode] of [
      [422, 6],
      [500, 8],
    ] as const) {
      const result = await runAgainst(answering(status, body), commands.GET, options);
      expect(result).toMatchObject({ exitCode, violations: [] });
      expect(flat(result.stderr)).toContain(flat(shown));
    }
  });
});

describe("in headers", () => {
  /** HTTP allows these bytes in a header. Some terminals treat 0x9b like ESC [. */
  const headers = { "X-Colour": "\x9b31mred", "X-Turned": "\xe2\x80\xae evil", Location: "\x9b2J" };

  test.for([200, 302, 404, 500])("of %i, under --debug", async (status, { expect }) => {
    for (const terminal of [{}, { terminal: 80 }]) {
      const result = await runAgainst(
        answering(status, envelope(group), headers),
        [...commands.GET, "--debug"],
        terminal,
      );
      expect(result.violations).toStrictEqual([]);
      expect(result.stderr.toLowerCase()).toContain(String.raw`x-colour: \u009b31mred`);
    }
  });
});

describe("as JSON", () => {
  const text = JSON.stringify(envelope({ ...group, name: hostile }, hostile));

  test("a terminal gets everything without control characters", async ({ expect }) => {
    for (const status of [200, 422]) {
      const args = [...commands.GET, "--json"];
      const result = await runAgainst(answering(status, text), args, { terminal: 80 });
      expect(result.violations).toStrictEqual([]);
      expect(result.stdout.replaceAll("\n", "")).not.toMatch(unsafe);
      const { error, ...body } = JSON.parse(result.stdout) as { error?: { message: string } };
      expect(body).toStrictEqual(JSON.parse(text));
      if (status === 422) expect(error?.message).toContain(hostile.slice(0, 20));
    }
  });

  test("a terminal gets no control characters of a body that is not JSON", async ({ expect }) => {
    for (const args of [
      [...commands.GET, "--json"],
      ["api", "GET", "/v1/group", "--json"],
    ]) {
      const result = await runAgainst(answering(400, `<p>${hostile}`), args, { terminal: 80 });
      expect(result.violations, args.join(" ")).toStrictEqual([]);
      expect(result.stdout.replaceAll("\n", "")).not.toMatch(unsafe);
    }
  });

  test("a pipe gets the body unchanged", async ({ expect }) => {
    const result = await runAgainst(answering(200, text), [...commands.GET, "--json"]);
    expect(result.violations).toStrictEqual([]);
    expect(result.stdout).toContain(text.slice(text.indexOf('"name":') + 7).slice(0, 40));
  });
});

test("a prompt contains no control characters of the service", async ({ expect }) => {
  const record = { ...group, name: hostile };
  const result = await runAgainst(answering(200, envelope(record)), ["group", "delete", "12"], {
    terminal: 1000,
    keys: "n\n",
  });
  expect(result.requests).toStrictEqual(["GET /v1/group/12"]);
  // The prompt itself moves the cursor; text of the service must not.
  expect(result.stderr).toContain(shown);
  for (const obeyed of ["\u001b[2J", "\u001b[31m", "\u009b", "\u202e", "\u0007"]) {
    expect(result.stderr).not.toContain(obeyed);
  }
  expect(result.exitCode).toBe(130);
});
