import { expect, test } from "vitest";
import { SendctlError, type ErrorKind } from "../../src/core/error.ts";
import { refusing } from "../../src/engine/rules/replies.ts";
import { ownBehaviour } from "../../src/contract/behaviour.ts";
import { errorResponse } from "../../src/server/dispatch.ts";

const refuse = refusing(ownBehaviour);

test.each([
  ["database", 503, "locked"],
  ["auth", 401, undefined],
  // It is not sent: the connection is closed.
  ["outcome_unknown", 500, "outcome_unknown"],
] as const)("responds to an error of kind %s", (kind: ErrorKind, status, cause) => {
  const error = new SendctlError(kind, "it failed", { database: "locked" });
  const response = errorResponse(error, refuse);
  expect([response.status, response.failure?.cause]).toEqual([status, cause]);
});

test("names the code of a database error, and the problem", () => {
  const cause = Object.assign(new Error("deadlock detected"), { code: "40P01" });
  const details = { database: "locked", cause } as const;
  const response = errorResponse(new SendctlError("database", "it is busy", details), refuse);
  expect(response).toMatchObject({
    failure: { cause: "locked", code: "40P01" },
    problem: "it is busy",
  });
});

test.each(["has a space", "x".repeat(65), "", 23_505, null])("does not log the code %j", (code) => {
  const cause = Object.assign(new Error("odd"), { code });
  const { failure } = errorResponse(new SendctlError("database", "odd", { cause }), refuse);
  expect(failure).toMatchObject({ cause: "database", code: undefined });
});

test.each([
  ["an error of SQLite", Object.assign(new Error("near SELEC"), { code: "SQLITE_ERROR" })],
  ["an error of another kind", new SendctlError("usage", "a mistake")],
  ["a bug", new TypeError("undefined is not a function")],
])("hides %s from the client as a defect", (_, error) => {
  const response = errorResponse(error, refuse);
  expect([response.status, response.failure?.cause]).toEqual([500, "defect"]);
  expect(response.text).not.toContain(error.message);
});
