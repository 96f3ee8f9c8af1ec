import { expect, test } from "vitest";
import type { Failure } from "./switches.ts";
import { groupNamed } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { stateOf } from "./state.ts";
import type { Trial, Tried } from "./try-command.ts";

const methodsOf = ({ requests }: Tried): string[] => requests.map(({ method }) => method);

function update(trial: Trial, name: string, ...args: readonly string[]): Promise<Tried> {
  const { id } = groupNamed(stateOf(trial.vendor.records), name);
  return trial.run(["group", "update", id, ...args]);
}

test("an update of a service that replaces records sends all that they show", () =>
  inSituation({ switches: { put: "resets omitted" }, groups: 4 }, async (trial) => {
    const tried = await update(trial, "Customers", "--name", "Renamed");
    expect(tried.exitCode, tried.stderr).toBe(0);
    expect(methodsOf(tried)).toStrictEqual(["GET", "PUT"]);
    expect(JSON.parse(tried.requests[1]!.body)).toStrictEqual({
      name: "Renamed",
      send_birthday: true,
      send_holiday: true,
      birthday_message: "Happy birthday, {first_name}!",
    });
    const old = groupNamed(tried.before, "Customers");
    const wanted = { ...old, name: "Renamed", sender_id: null };
    expect(groupNamed(tried.after, "Renamed")).toStrictEqual(wanted);
    expect(tried.stderr).toMatch(/may have reset the sender ID/);
  }));

test("fields that are null and stay so are left out", () =>
  inSituation({ switches: { nulls: "refused" }, groups: 4 }, async (trial) => {
    const { exitCode, requests } = await update(trial, "VIP", "--name", "Regulars");
    expect(exitCode).toBe(0);
    const body = { name: "Regulars", send_birthday: false, birthday_message: "Cheers" };
    expect(JSON.parse(requests[1]!.body)).toStrictEqual(body);
  }));

test("an update that sets the sender ID brings no warning", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const { exitCode, stderr } = await update(trial, "Customers", "--sender-id", "Orders");
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Warning");
  }));

test("a service that shows the sender ID brings no warning", () =>
  inSituation({ switches: { extraFields: true }, groups: 4 }, async (trial) => {
    const { exitCode, stderr } = await update(trial, "Customers", "--name", "Renamed");
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Warning");
  }));

test("what is stored differently ends with 10, the field and both values", () =>
  inSituation({ switches: { trims: true }, groups: 4 }, async (trial) => {
    const tried = await update(trial, "VIP", "--birthday-message", " hi ", "--json");
    expect(tried.exitCode).toBe(10);
    expect(JSON.parse(tried.stdout)).toMatchObject({ error: { kind: "unexpected_response" } });
    expect(tried.stderr).toMatch(/birthday_message.*" hi ".*"hi"/);
  }));

test("a read that is refused is the reply", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const tried = await trial.run(["group", "update", "777", "--name", "Renamed"]);
    expect(tried.exitCode).toBe(4);
    expect(methodsOf(tried)).toStrictEqual(["GET"]);
  }));

const lost: readonly Failure[] = (["connection lost", "gateway page"] as const).flatMap((kind) =>
  (["before", "after"] as const).map((when) => ({ kind, when, on: "PUT", nth: 1, repeats: false })),
);

test.for(lost)("an update is repeated after $kind, $when the work", (failure) =>
  inSituation({ switches: { failures: [failure] }, groups: 4 }, async (trial) => {
    const tried = await update(trial, "Customers", "--name", "Renamed");
    expect(tried.exitCode, tried.stderr).toBe(0);
    expect(methodsOf(tried)).toStrictEqual(["GET", "PUT", "PUT"]);
    const wanted = { ...groupNamed(tried.before, "Customers"), name: "Renamed" };
    expect(groupNamed(tried.after, "Renamed")).toStrictEqual(wanted);
  }),
);

test("a dry run sends nothing, and says that a real update sends more", () =>
  inSituation({ switches: {}, groups: 4 }, async (trial) => {
    const tried = await update(trial, "Customers", "--name", "Renamed", "--dry-run");
    expect(tried.exitCode).toBe(0);
    expect(tried.requests).toStrictEqual([]);
    expect(tried.stdout).toContain('{"name":"Renamed"}');
    expect(tried.stderr).toContain("all of its fields");
  }));
