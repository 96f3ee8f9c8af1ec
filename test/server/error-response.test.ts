import { expect, test } from "vitest";
import { SendctlError, type ErrorKind } from "../../src/contract/error.ts";
import { refusing } from "../../src/engine/refusing.ts";
import { ownBehaviour } from "../../src/engine/rulings.ts";
import { errorResponse } from "../../src/server/error-response.ts";

const refuse = refusing(ownBehaviour);

test.each([
  ["database", 503],
  ["auth", 401],
  // The connection is closed without a response, because the outcome is unknown.
  ["outcome_unknown", undefined],
] as const)("responds to an error of kind %s", (kind: ErrorKind, status) => {
  const { response, isDefect } = errorResponse(new SendctlError(kind, "it failed"), refuse);
  expect({ status: response?.status, isDefect }).toEqual({ status, isDefect: false });
});

test.each([
  ["an error of SQLite", Object.assign(new Error("near SELEC"), { code: "SQLITE_ERROR" })],
  ["an error of another kind", new SendctlError("usage", "a mistake")],
  ["a bug", new TypeError("undefined is not a function")],
])("hides %s from the client as a defect", (_, error) => {
  const { response, isDefect } = errorResponse(error, refuse);
  expect({ status: response?.status, isDefect }).toEqual({ status: 500, isDefect: true });
  expect(response!.text).not.toContain(error.message);
});
