import { describe } from "vitest";
import { test } from "../support/home.ts";
import { openLive } from "./apply/apply-remote.ts";
import { key, runAgainst } from "./run-remote.ts";
import { envelope, group } from "./sample-responses.ts";
import type { Script } from "./scripted-service.ts";

const refused = { status: false, message: "Invalid", data: null };
const withId = { "X-Request-Id": "r-17" };

/** Responds to every read with a group, and refuses every write. */
const refusing: Script = ({ method, target, body }, { respond }) => {
  const id = Number(target.replace(/^.*\//, "")) || 12;
  if (method === "GET") respond(200, envelope({ ...group, id }));
  else if (method === "POST") respond(200, envelope({ ...group, ...JSON.parse(body), id }));
  else respond(422, refused, withId);
};

interface Printed {
  readonly error: { readonly request_id?: string; readonly failed?: readonly object[] };
  readonly data: { readonly failed?: readonly object[] } | null;
}

describe("the request ID of a response is in the error", () => {
  test.for([
    ["one update", "group update 1 --send-holiday", "PUT /v1/group/1, 1 attempt, request r-17"],
    ["one delete", "group delete 1 --yes", "DELETE /v1/group/1, 1 attempt, request r-17"],
    ["a raw request", "api DELETE /v1/group/1", "DELETE /v1/group/1, 1 attempt, request r-17"],
    [
      "an incomplete create",
      "group create Customers --send-holiday",
      "PUT /v1/group/12, 1 attempt, request r-17",
    ],
    [
      "several updates",
      "group update 1 2 --send-holiday",
      "PUT /v1/group/1, 1 attempt, request r-17; PUT /v1/group/2, 1 attempt, request r-17",
    ],
    [
      "several deletes",
      "group delete 1 2 --yes",
      "DELETE /v1/group/1, 1 attempt, request r-17; DELETE /v1/group/2, 1 attempt, request r-17",
    ],
  ] as const)("of %s", async ([, line, trail], { expect }) => {
    const { exitCode, stdout, stderr } = await runAgainst(refusing, [...line.split(" "), "--json"]);
    expect(exitCode, stderr).toBe(6);
    expect(stderr).toContain(` (HTTP 422, invalid); ${trail}\n`);
    const { error, data } = JSON.parse(stdout) as Printed;
    expect(error.request_id).toBe("r-17");
    for (const failed of error.failed ?? data?.failed ?? []) {
      expect(failed).toMatchObject({ request_id: "r-17" });
    }
  });

  test.for([
    ["a create", "group create A", "POST /v1/group"],
    ["an update", "group update 1 --send-holiday --retries 0", "PUT /v1/group/1"],
    ["a delete", "group delete 1 --yes --retries 0", "DELETE /v1/group/1"],
  ] as const)("of %s whose outcome is unknown", async ([, line, request], { expect }) => {
    const { exitCode, stdout, stderr } = await runAgainst(
      ({ method, target }, { respond }) => {
        if (method !== "GET") respond(502, "<html>", withId);
        else if (target.startsWith("/v1/group?")) respond(403, refused);
        else respond(200, envelope({ ...group, id: 1 }));
      },
      [...line.split(" "), "--json"],
    );
    expect(exitCode).toBe(9);
    expect(stderr).toContain(` (outcome_unknown); ${request}, 1 attempt, request r-17\n`);
    expect(JSON.parse(stdout)).toMatchObject({ error: { request_id: "r-17" } });
  });

  test("of values that were stored differently", async ({ expect }) => {
    const { exitCode, stdout, stderr } = await runAgainst(
      (_, { respond }) => respond(200, envelope({ ...group, id: 1 }), withId),
      ["group", "update", "1", "--name", "Other", "--json"],
    );
    expect(exitCode).toBe(10);
    expect(stderr).toMatch(
      /stored different values: .*; PUT \/v1\/group\/1, 1 attempt, request r-17\n/,
    );
    expect(JSON.parse(stdout)).toMatchObject({ error: { request_id: "r-17" } });
  });

  test("of a step of apply, and of apply itself", async ({ home, expect }) => {
    const { apply } = await openLive(home, {
      instead: ({ method }, { respond }) => {
        if (method === "POST") respond(422, refused, withId);
        return method === "POST";
      },
    });
    const { stdout, stderr } = await apply({ groups: [{ name: "A" }] }, "apply --yes --json");
    expect(stderr).toContain(
      "Could not create group A: Invalid (HTTP 422, invalid); POST /v1/group, 1 attempt, request r-17\n",
    );
    const error = { request_id: "r-17" };
    expect(JSON.parse(stdout)).toMatchObject({ error, data: { steps: [{ error }] } });
  });

  test("unless it is at a terminal, which has the command", async ({ expect }) => {
    const args = ["group", "delete", "1", "2", "--yes"];
    const { stderr } = await runAgainst(refusing, args, { terminal: 200 });
    expect(stderr).toContain("Invalid (HTTP 422, invalid)\n");
    expect(stderr).not.toContain("r-17");
  });
});

const withKey: Script = (_, { respond }) => respond(404, refused, { "X-Request-Id": `x-${key}` });

test("a request ID with the key is not shown", async ({ expect }) => {
  const ran = await runAgainst(withKey, ["group", "fetch", "1", "--json", "--debug"]);
  expect(ran).toMatchObject({ exitCode: 4, violations: [] });
  expect(ran.stdout + ran.stderr).not.toMatch(/request_id|, request /);
});
