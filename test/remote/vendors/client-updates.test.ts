import { expect, test } from "vitest";
import type { Failure } from "./switches.ts";
import { groupNamed } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { stateOf } from "./state.ts";
import type { Trial, Outcome } from "./try-command.ts";

const methodsOf = ({ requests }: Outcome): string[] => requests.map(({ method }) => method);

function update(trial: Trial, name: string, ...args: readonly string[]): Promise<Outcome> {
  const { id } = groupNamed(stateOf(trial.vendor.records), name);
  return trial.run(["group", "update", id, ...args]);
}

test("an update sends all visible fields, so that a service can replace the record", () =>
  inSituation({ switches: { put: "resets omitted" }, groups: 4 }, async (trial) => {
    const outcome = await update(trial, "Customers", "--name", "Renamed");
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT"]);
    expect(JSON.parse(outcome.requests[1]!.body)).toStrictEqual({
      name: "Renamed",
      send_birthday: true,
      send_holiday: true,
      birthday_message: "Happy birthday, {first_name}!",
    });
    const old = groupNamed(outcome.before, "Customers");
    const wanted = { ...old, name: "Renamed", sender_id: null };
    expect(groupNamed(outcome.after, "Renamed")).toStrictEqual(wanted);
    expect(outcome.stderr).toMatch(/may have reset the sender ID/);
  }));

test("unchanged null fields are omitted from an update", () =>
  inSituation({ switches: { nulls: "refused" }, groups: 4 }, async (trial) => {
    const { exitCode, requests } = await update(trial, "VIP", "--name", "Regulars");
    expect(exitCode).toBe(0);
    const body = { name: "Regulars", send_birthday: false, birthday_message: "Cheers" };
    expect(JSON.parse(requests[1]!.body)).toStrictEqual(body);
  }));

test("an update that sets the sender ID prints no warning", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const { exitCode, stderr } = await update(trial, "Customers", "--sender-id", "Orders");
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Warning");
  }));

test("an update prints no warning if the service shows the sender ID", () =>
  inSituation({ switches: { extraFields: true }, groups: 4 }, async (trial) => {
    const { exitCode, stderr } = await update(trial, "Customers", "--name", "Renamed");
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Warning");
  }));

test("a value stored differently exits with 10 and shows the field and both values", () =>
  inSituation({ switches: { trims: true }, groups: 4 }, async (trial) => {
    const outcome = await update(trial, "VIP", "--birthday-message", " hi ", "--json");
    expect(outcome.exitCode).toBe(10);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { kind: "unexpected_response" } });
    expect(outcome.stderr).toMatch(/birthday_message.*" hi ".*"hi"/);
  }));

test("an update reports the refusal of its read", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const outcome = await trial.run(["group", "update", "777", "--name", "Renamed"]);
    expect(outcome.exitCode).toBe(4);
    expect(methodsOf(outcome)).toStrictEqual(["GET"]);
  }));

const lost: readonly Failure[] = (["connection lost", "gateway page"] as const).flatMap((kind) =>
  (["before", "after"] as const).map((when) => ({ kind, when, on: "PUT", nth: 1, repeats: false })),
);

test.for(lost)("an update is repeated after $kind, $when the work", (failure) =>
  inSituation({ switches: { failures: [failure] }, groups: 4 }, async (trial) => {
    const outcome = await update(trial, "Customers", "--name", "Renamed");
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT", "PUT"]);
    const wanted = { ...groupNamed(outcome.before, "Customers"), name: "Renamed" };
    expect(groupNamed(outcome.after, "Renamed")).toStrictEqual(wanted);
  }),
);

test("a dry run sends nothing, and mentions that a real update sends more fields", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const outcome = await update(trial, "Customers", "--name", "Renamed", "--dry-run");
    expect(outcome.exitCode).toBe(0);
    expect(outcome.requests).toStrictEqual([]);
    expect(outcome.stdout).toContain('{"name":"Renamed"}');
    expect(outcome.stderr).toContain("all of its fields");
  }));
