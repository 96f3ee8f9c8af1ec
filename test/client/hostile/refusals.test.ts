import { describe, test } from "vitest";
import { answering, commands, scriptFor, type Way } from "../sample-responses.ts";
import { runAgainst, type RemoteRun } from "../run-remote.ts";

/** Statuses and their exit codes. */
const exitCodes = {
  400: 6,
  401: 3,
  403: 3,
  404: 4,
  409: 5,
  410: 4,
  413: 6,
  415: 6,
  418: 6,
  422: 6,
  451: 6,
} as const;

const kinds = { 3: "auth", 4: "not_found", 5: "conflict", 6: "invalid" } as const;

const statuses = Object.keys(exitCodes).map(Number) as (keyof typeof exitCodes)[];

/** One for each kind of refusal. */
const typical = [401, 404, 409, 422] as const;

const said = "Nope: 7 words";

const withErrors = (errors: unknown) => ({ status: false, message: said, data: null, errors });

/** Error bodies with a text that must be shown to the user. */
const speaking: Readonly<Record<string, unknown>> = {
  "our envelope": { status: false, message: said, data: null },
  "our envelope without data": { status: false, message: said },
  "a message": { message: said },
  "a message as a list": { message: [said] },
  "an error as text": { error: said },
  "an error with a message": { error: { code: 17, message: said } },
  "errors by field": { errors: { name: [said] } },
  "errors by field, each as text": { errors: { name: said } },
  "a list of errors": { errors: [said] },
  "a list of errors with messages": { errors: [{ message: said, code: 17 }] },
  "a problem of RFC 9457": { type: "about:blank", title: "Bad", detail: said, status: 400 },
  "a problem of RFC 9457 without details": { type: "about:blank", title: said, status: 400 },
  "errors by field at the root": { name: [said], non_field_errors: [] },
  "errors by field in data": { status: "fail", data: { name: said } },
  "our envelope with errors by field": withErrors({ name: ["is taken"] }),
  "our envelope with errors by field, each as text": withErrors({ name: "is taken" }),
  "our envelope with a list of errors": withErrors(["is taken"]),
  "our envelope with errors as text": withErrors("is taken"),
  "our envelope with errors null": withErrors(null),
  "our envelope with nested errors": withErrors({
    name: { min: ["is short"], toString: null },
    none: null,
    count: 3,
  }),
};

/** Error bodies without a text; the status is shown instead. */
const silent: Readonly<Record<string, string>> = {
  "a page of HTML": "<!doctype html>\n<html>\n<h1>It broke</h1>\n</html>\n",
  nothing: "",
  "only tags": "<html></html>",
  null: "null",
  "an array": "[]",
  "an empty object": "{}",
  "half a message": '{"message":"Half',
  "a message that is not text": '{"message":{"toString":null},"error":17,"errors":false}',
};

async function refused(status: number, body: unknown, json: readonly string[]): Promise<RemoteRun> {
  return runAgainst(answering(status, body), ["sender-id", "fetch", "ACME", ...json]);
}

/** A single line that does not end in a colon, and a hint about a rejected key or about an address without lists. */
const oneLine =
  /^sendctl: [^\n]*[^\n\s:]\n(?:hint: (?:the key (?:comes from SENDCTL_SECRET_KEY|may be right)|check the base URL)[^\n]*\n)?$/;

describe.for(["table", "json"])("a refusal, as %s", (format) => {
  const json = format === "json" ? ["--json"] : [];

  test.for(Object.keys(speaking))("is passed on in one line: %s", async (form, { expect }) => {
    for (const status of form === "our envelope" ? statuses : typical) {
      const result = await refused(status, speaking[form], json);
      const about = `${form}, ${status}`;
      expect(result, about).toMatchObject({
        exitCode: exitCodes[status],
        waits: [],
        violations: [],
      });
      expect(result.received).toHaveLength(1);
      expect(result.stderr, about).toMatch(oneLine);
      expect(result.stderr, about).toContain(said);
      if (format === "table") expect(result.stdout).toBe("");
      else {
        const { error, ...body } = JSON.parse(result.stdout) as { readonly error: unknown };
        const { error: own, ...rest } = speaking[form] as { readonly error?: unknown };
        expect(body, about).toStrictEqual(rest);
        const hint = exitCodes[status] === 3 ? (expect.any(String) as unknown) : null;
        const added = { kind: kinds[exitCodes[status]], http_status: status, hint };
        if (own === undefined) expect(error, about).toMatchObject(added);
        else expect(error, about).toStrictEqual(own);
      }
    }
  });

  test.for(Object.keys(silent))("is reported by its status: %s", async (form, { expect }) => {
    for (const status of form === "nothing" ? statuses : typical) {
      const result = await refused(status, silent[form], json);
      const about = `${form}, ${status}`;
      expect(result, about).toMatchObject({
        exitCode: exitCodes[status],
        waits: [],
        violations: [],
      });
      expect(result.stderr, about).toMatch(oneLine);
      expect(result.stderr, about).toContain(String(status));
      expect(result.stderr, about).not.toContain("<");
      if (format === "table") expect(result.stdout).toBe("");
    }
  });

  test("is one line even if its text is long", async ({ expect }) => {
    const result = await refused(400, { message: `${said} ${"x\n".repeat(100_000)}` }, json);
    expect(result).toMatchObject({ exitCode: 6, violations: [] });
    expect(result.stderr).toMatch(oneLine);
  });
});

describe("a refusal with HTTP 200", () => {
  const shapes: Readonly<Record<string, object>> = {
    "status false": { status: false, message: said, data: null, code: 17 },
    "success false": { success: false, message: said },
    "success 0": { success: 0, error: said },
    "status error": { status: "error", message: said },
    "status fail with data": { status: "fail", data: { name: [said] } },
    "status 0": { status: 0, message: said, data: null },
    "an error as text": { error: said },
    "an error with a message": { error: { code: 17, message: said } },
    "success false with errors": { success: false, errors: [{ message: said }], result: null },
  };
  test.for(Object.keys(shapes))("is shown in its words: %s", async (shape, { expect }) => {
    for (const args of [...Object.values(commands), ["group", "list"], ["api", "GET", "/v1/x"]]) {
      for (const json of [[], ["--json"]]) {
        const answer = scriptFor(
          args === commands.PUT ? "PUT" : "GET",
          answering(200, shapes[shape]),
        );
        const result = await runAgainst(answer, [...args, ...json]);
        expect(result, args.join(" ")).toMatchObject({ exitCode: 6, violations: [] });
        expect(result.stderr.split(said), args.join(" ")).toHaveLength(2);
        if (json.length > 0) expect(JSON.parse(result.stdout)).toMatchObject(shapes[shape]!);
      }
    }
  });

  test("can be status false alone", async ({ expect }) => {
    const result = await runAgainst(answering(200, { status: false }), commands.GET);
    expect(result).toMatchObject({ exitCode: 6, violations: [] });
  });

  test.for([
    ["a record with an error", { status: true, message: "Done", data: null, error: said }],
    ["an error and data", { error: said, data: { id: 1 } }],
    ["an empty error", { error: "", data: null }],
    ["another status", { status: "pending", error: said }],
  ] as const)("is not concluded from %s", async ([, body], { expect }) => {
    const result = await runAgainst(answering(200, body), commands.GET);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
  });
});

describe("a failure of the service itself", () => {
  test.for([
    [500, 1],
    [501, 1],
    [502, 3],
    [503, 3],
    [504, 3],
    [599, 1],
  ] as const)("%i is requested %i times and reported", async ([status, requests], { expect }) => {
    for (const body of ["<html>Bad Gateway</html>", "", { message: "Out of order" }]) {
      for (const json of [["--quiet"], ["--quiet", "--json"]]) {
        const result = await refused(status, body, json);
        expect(result).toMatchObject({ exitCode: 8, violations: [] });
        expect(result.received).toHaveLength(requests);
        expect(result.stderr).toMatch(oneLine);
      }
    }
  });
});

test("requests have the headers and bodies of the specification", async ({ expect }) => {
  for (const [way, args] of Object.entries(commands)) {
    const { received } = await runAgainst(scriptFor(way as Way, answering(400)), args);
    const contentType = way === "DELETE" ? undefined : "application/json";
    const request = received.at(-1)!;
    expect(request.headers["content-type"], way).toBe(contentType);
    expect(request.headers["accept"], way).toBe("application/json");
    expect(request.body !== "", way).toBe(way.startsWith("P"));
  }
});
