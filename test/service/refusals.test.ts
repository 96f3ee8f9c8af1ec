import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/contract/service.ts";
import { failureOf, refusalEnvelope, refusalLine } from "../../src/service/refusals.ts";

/** Returns the line for a refusal. @param body the text, or a value that is sent as JSON */
function line(status: number, body: unknown, retryAfter?: number): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply: Reply = { status, text, envelope: undefined };
  return refusalLine(
    retryAfter === undefined ? reply : { ...reply, headers: { "Retry-After": `${retryAfter}` } },
  );
}

const message = "The request is invalid";

describe("one line shows", () => {
  const cases: readonly (readonly [status: number, body: unknown, expected: string])[] = [
    // The message, in any field that services use.
    [404, { message: "A", error: "B", detail: "C", title: "D" }, "A"],
    [404, { message: "", error: "B", detail: "C", title: "D" }, "B"],
    [404, { message: 7, detail: "C", title: "D" }, "C"],
    [404, { error: { message: "Inner" } }, "Inner"],
    [404, { error: { code: 7 }, detail: "C" }, "C"],
    // The invalid fields.
    [422, { message, errors: { name: ["is too long"] } }, `${message}: name is too long`],
    [422, { message, errors: { name: "is too long" } }, `${message}: name is too long`],
    [422, { message, errors: { a: ["b", "c"], d: ["e"] } }, `${message}: a b, c; d e`],
    [422, { message, errors: ["one", "two"] }, `${message}: one; two`],
    [422, { message, errors: [{ message: "one" }, { code: 7 }] }, `${message}: one; code 7`],
    [
      422,
      { message: "Wrong.", errors: { Name: ["The name is taken."] } },
      "Wrong: The name is taken.",
    ],
    [
      422,
      { errors: [{ field: "name", message: "is too long" }] },
      "the service responded with HTTP 422: name is too long",
    ],
    [
      422,
      { detail: [{ loc: ["body", "name"], msg: "Field required", type: "missing" }] },
      "the service responded with HTTP 422: name Field required",
    ],
    [422, { detail: ["one", "two"] }, "the service responded with HTTP 422: one; two"],
    [422, { message, errors: { name: null } }, `${message}: name null`],
    [422, { message, errors: "name" }, message],
    [422, { message, errors: {} }, message],
    [422, { message: "name is taken", errors: { name: ["is taken"] } }, "name is taken"],
    [409, { message: "It exists", errors: { name: ["is taken"] } }, "It exists"],
    [422, { errors: { name: ["is bad"] } }, "the service responded with HTTP 422: name is bad"],
    [409, { errors: { name: ["is taken"] } }, "the service responded with HTTP 409: name is taken"],
    // The words of frameworks: Flask-RESTful, webargs, CodeIgniter, Micronaut, Quarkus, Spring, celebrate and Zod.
    [
      400,
      { message: { name: "Missing parameter" } },
      "the service responded with HTTP 400: name Missing parameter",
    ],
    [
      422,
      { code: 422, errors: { json: { name: ["Missing data."] } }, status: "Unprocessable Entity" },
      "the service responded with HTTP 422: name Missing data.",
    ],
    [
      422,
      { messages: { json: { name: ["Too short.", "Bad."] } } },
      "the service responded with HTTP 422: name Too short., Bad.",
    ],
    [
      400,
      { status: 400, error: 400, messages: { name: "The name field is required." } },
      "the service responded with HTTP 400: The name field is required.",
    ],
    [
      400,
      {
        message: "Bad Request",
        _embedded: { errors: [{ message: "group.name: must not be blank" }] },
      },
      "Bad Request: group.name: must not be blank",
    ],
    [
      400,
      {
        title: "Constraint Violation",
        status: 400,
        violations: [{ field: "name", message: "must not be blank" }],
      },
      "Constraint Violation: name must not be blank",
    ],
    [
      400,
      {
        status: 400,
        error: "Bad Request",
        message: "Validation failed for object='group'",
        errors: [
          {
            codes: ["NotBlank"],
            defaultMessage: "must not be blank",
            field: "name",
            code: "NotBlank",
          },
        ],
      },
      "Validation failed for object='group': name must not be blank",
    ],
    [
      400,
      {
        statusCode: 400,
        error: "Bad Request",
        message: "Validation failed",
        validation: { body: { source: "body", keys: ["name"], message: '"name" is required' } },
      },
      'Validation failed: "name" is required',
    ],
    [
      400,
      {
        success: false,
        error: {
          name: "ZodError",
          issues: [{ code: "too_small", path: ["name"], message: "Too small" }],
        },
      },
      "the service responded with HTTP 400: name Too small",
    ],
    [
      400,
      { error: { formErrors: [], fieldErrors: { name: ["Required"] } } },
      "the service responded with HTTP 400: name Required",
    ],
    // Nothing that is too deep or too much.
    [
      400,
      { errors: JSON.parse(`${"[".repeat(50)}"x"${"]".repeat(50)}`) as unknown },
      "the service responded with HTTP 400",
    ],
    // Any other body.
    [500, "", "the service responded with HTTP 500"],
    [500, "null", "the service responded with HTTP 500: null"],
    [502, "Bad Gateway\n", "the service responded with HTTP 502: Bad Gateway"],
    [
      502,
      "<title>502 Bad\nGateway</title><p>x",
      "the service responded with HTTP 502: 502 Bad Gateway",
    ],
    [502, "<h1>Bad</h1><p>Gateway</p>", "the service responded with HTTP 502: Bad Gateway"],
    [502, "<p></p>", "the service responded with HTTP 502"],
    [502, "x".repeat(300), `the service responded with HTTP 502: ${"x".repeat(200)}`],
    // One safe line.
    [404, { message: "One\r\n  two\n" }, "One two"],
    [404, { message: "\u001b[2J\u202e" }, String.raw`\u001b[2J\u202e`],
    [404, { message: "x".repeat(500) }, "x".repeat(500)],
    [404, { message: "🎉".repeat(501) }, `${"🎉".repeat(500)}…`],
  ];
  test.for(cases)("%i %j", ([status, body, expected]) => {
    expect(line(status, body)).toBe(expected);
  });

  test("when to try again", () => {
    expect(line(429, { message: "Too many" }, 7)).toBe("Too many · try again in 7 s");
    expect(line(503, "", 0)).toBe("the service responded with HTTP 503 · try again in 0 s");
  });
});

function reply(status: number, text: string): Reply {
  return { status, text, envelope: undefined };
}

function envelopeOf(refused: Reply): string {
  return refusalEnvelope(failureOf(refused));
}

/** Returns the error that is added to a body of status 404. */
function added(message: string): string {
  return `"error":{"kind":"not_found","http_status":404,"message":${JSON.stringify(message)},"hint":null}`;
}

describe("the error object of a refusal", () => {
  test("is added to the otherwise unchanged body", () => {
    const long = "123456789012345678901234567890.50";
    const body = `{ "message":"a", "message":"No" ,"n":${long},\n\t"x":{"error":1} }\n`;
    const text = `{ "message":"a", "message":"No" ,"n":${long},\n\t"x":{"error":1} ,${added("No")}}\n`;
    expect(envelopeOf(reply(404, body))).toBe(text);
    expect(JSON.parse(text)).toMatchObject({ message: "No", error: { kind: "not_found" } });
  });

  test("is the service's own if it has one", () => {
    for (const body of [
      '{"error":"No"}',
      '{"error":null}',
      String.raw`{"\u0065rror":{"code":17}}`,
    ]) {
      expect(envelopeOf(reply(404, body))).toBe(body);
    }
  });

  test("is the only field of an empty object", () => {
    expect(envelopeOf(reply(404, "{ }"))).toBe(
      `{ ${added("the service responded with HTTP 404")}}`,
    );
  });

  test("is in a new envelope if the body is not an object", () => {
    for (const body of ["", "null", "[1]", "<p>No</p>"]) {
      expect(JSON.parse(envelopeOf(reply(503, body)))).toMatchObject({
        status: false,
        data: null,
        error: { kind: "unavailable", http_status: 503, hint: null },
      });
    }
  });
});
