import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/contract/service.ts";
import { refusalEnvelope } from "../../src/output/refusal.ts";

function reply(status: number, text: string): Reply {
  return { status, text, envelope: undefined };
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
    expect(refusalEnvelope(reply(404, body))).toBe(text);
    expect(JSON.parse(text)).toMatchObject({ message: "No", error: { kind: "not_found" } });
  });

  test("is the service's own if it has one", () => {
    for (const body of [
      '{"error":"No"}',
      '{"error":null}',
      String.raw`{"\u0065rror":{"code":17}}`,
    ]) {
      expect(refusalEnvelope(reply(404, body))).toBe(body);
    }
  });

  test("is the only field of an empty object", () => {
    expect(refusalEnvelope(reply(404, "{ }"))).toBe(
      `{ ${added("the service responded with HTTP 404")}}`,
    );
  });

  test("is in a new envelope if the body is not an object", () => {
    for (const body of ["", "null", "[1]", "<p>No</p>"]) {
      expect(JSON.parse(refusalEnvelope(reply(503, body)))).toMatchObject({
        status: false,
        data: null,
        error: { kind: "unavailable", http_status: 503, hint: null },
      });
    }
  });
});
