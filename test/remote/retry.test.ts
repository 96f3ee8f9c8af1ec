import { describe, expect, test } from "vitest";
import { mayRetry, requestedWait, waitBefore } from "../../src/remote/http/retry.ts";

const now = Date.UTC(2026, 0, 31, 8);

type Outcome = Parameters<typeof mayRetry>[1];
type Response = Parameters<typeof requestedWait>[0];

function response(status: number, header?: string): Response {
  return { status, text: "", headers: header === undefined ? {} : { "retry-after": header } };
}

function lost(code: string | undefined, unsent: boolean): Outcome {
  return { error: Object.assign(new Error("lost"), code === undefined ? {} : { code }), unsent };
}

const methods = ["GET", "PUT", "DELETE", "POST"] as const;

describe("mayRetry", () => {
  const every = [true, true, true, true];
  const none = [false, false, false, false];
  const allButPost = [true, true, true, false];
  const onlyReadsAndPuts = [true, true, false, false];
  const cases: readonly (readonly [what: string, Outcome, readonly boolean[]])[] = [
    ["200", response(200), none],
    ["400", response(400), none],
    ["401", response(401), none],
    ["404", response(404), none],
    ["409", response(409), none],
    ["422", response(422), none],
    ["429", response(429), every],
    ["500", response(500), none],
    ["501", response(501), none],
    ["502", response(502), onlyReadsAndPuts],
    ["503", response(503), onlyReadsAndPuts],
    ["504", response(504), onlyReadsAndPuts],
    ["ECONNREFUSED before it was sent", lost("ECONNREFUSED", true), every],
    ["ENOTFOUND before it was sent", lost("ENOTFOUND", true), every],
    ["EAI_AGAIN before it was sent", lost("EAI_AGAIN", true), every],
    ["ECONNREFUSED after it was sent", lost("ECONNREFUSED", false), onlyReadsAndPuts],
    ["ECONNRESET before it was sent", lost("ECONNRESET", true), allButPost],
    ["ECONNRESET after it was sent", lost("ECONNRESET", false), onlyReadsAndPuts],
    ["ETIMEDOUT before it was sent", lost("ETIMEDOUT", true), allButPost],
    ["an error without a code", lost(undefined, true), allButPost],
    ...[
      "EPROXY",
      "EPROTO",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "CERT_HAS_EXPIRED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "HPE_INVALID_CONSTANT",
      "ERR_INVALID_CHAR",
    ].map((code) => [code, lost(code, true), none] as const),
  ];
  test.for(cases)("%s", ([, outcome, expected]) => {
    // An id or a name may belong to another record by the time a delete is repeated.
    const isDoubtful = "error" in outcome && !outcome.unsent;
    const attempts = methods.map((method) => mayRetry(method, outcome, isDoubtful));
    expect(attempts).toStrictEqual(expected);
  });
});

describe("the header Retry-After", () => {
  const cases: readonly (readonly [header: string | undefined, expected: number | undefined])[] = [
    [undefined, undefined],
    ["", undefined],
    ["0", 0],
    ["7", 7000],
    [" 7 ", 7000],
    ["3600", 3_600_000],
    ["1.5", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["2026-01-31", undefined],
    ["Sat, 31 Jan 2026 08:00:05 GMT", 5000],
    ["Saturday, 31-Jan-26 08:00:05 GMT", 5000],
    ["Sat Jan 31 08:00:05 2026 GMT", 5000],
    ["Sat, 31 Jan 2026 07:59:00 GMT", 0],
    ["Sat, 99 Foo 2026 08:00:05 GMT", undefined],
  ];
  test.for(cases)("%j", ([header, expected]) => {
    expect(requestedWait(response(429, header), now)).toBe(expected);
  });
});

describe("the headers of a rate limit", () => {
  const inSevenSeconds = String(now / 1000 + 7);
  const cases: readonly (readonly [
    headers: Readonly<Record<string, string>>,
    expected: number | undefined,
  ])[] = [
    [{ "x-ratelimit-reset": "7" }, 7000],
    [{ "x-ratelimit-reset": inSevenSeconds }, 7000],
    [{ "x-ratelimit-reset": String(now / 1000 - 7) }, 0],
    [{ "x-ratelimit-reset": "soon" }, undefined],
    [{ "ratelimit-remaining": "0", "ratelimit-reset": "7" }, undefined],
    [{ "retry-after": "3", "x-ratelimit-reset": "7" }, 3000],
  ];
  test.for(cases)("%j", ([headers, expected]) => {
    expect(requestedWait({ status: 429, text: "", headers }, now)).toBe(expected);
  });
});

describe("the wait before the next attempt", () => {
  const cases: readonly (readonly [
    what: string,
    Outcome,
    attempts: number,
    random: number,
    expected: number | undefined,
  ])[] = [
    ["is at most 250 ms at first", response(503), 1, 1, 250],
    ["doubles", response(503), 2, 1, 500],
    ["doubles again", response(503), 3, 1, 1000],
    ["is 8 s at the sixth attempt", response(503), 6, 1, 8000],
    ["stays 8 s", response(503), 50, 1, 8000],
    ["may be 0", response(503), 3, 0, 0],
    ["is random in between", response(503), 3, 0.25, 250],
    ["is the same after a lost connection", lost("ECONNRESET", false), 2, 1, 500],
    ["follows Retry-After", response(503, "7"), 1, 1, 7000],
    ["is 0 if the service asks for 0", response(429, "0"), 6, 1, 0],
    ["is a minute if the service asks for that", response(429, "60"), 1, 1, 60_000],
    [
      "is undefined if the service asks for more than a minute",
      response(429, "61"),
      1,
      1,
      undefined,
    ],
    ["backs off if the header is invalid", response(429, "soon"), 2, 1, 500],
  ];
  test.for(cases)("%s", ([, outcome, attempts, random, expected]) => {
    expect(waitBefore(outcome, attempts, now, random)).toBe(expected);
  });
});
