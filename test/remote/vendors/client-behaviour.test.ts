import { describe, expect, test } from "vitest";
import { groupNamed, shownIds } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { know } from "./known-behaviour.ts";
import { uuidOf } from "./records.ts";
import { stateOf } from "./state.ts";
import type { Failure, Switches } from "./switches.ts";
import type { Outcome, Trial } from "./try-command.ts";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";

/** Runs an action against a service of which a behaviour is known. */
function knowing<Result>(
  behaviour: PartialBehaviour,
  switches: Partial<Switches>,
  action: (trial: Trial) => Promise<Result>,
  groups = 4,
): Promise<Result> {
  return inSituation({ switches, groups }, async (trial) => {
    know(trial, behaviour);
    return action(trial);
  });
}

const sent = ({ requests }: Outcome): string[] =>
  requests.map(({ method, path }) => `${method} ${path.replace(/^\/v1|\d+(?=$|\?)/g, "")}`);
const methodsOf = ({ requests }: Outcome): string[] => requests.map(({ method }) => method);
const lastBody = ({ requests }: Outcome): unknown => JSON.parse(requests.at(-1)!.body);

function update(trial: Trial, name: string, ...args: readonly string[]): Promise<Outcome> {
  const { id } = groupNamed(stateOf(trial.vendor.records), name);
  return trial.run(["group", "update", id, ...args]);
}

describe("an update of a service that is known to keep omitted fields", () => {
  const kept = { omitted_in_update: "kept", group_update_requires: "nothing" } as const;

  test("sends the changes only", () =>
    knowing(kept, {}, async (trial) => {
      const outcome = await update(trial, "Customers", "--no-send-holiday");
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT"]);
      expect(lastBody(outcome)).toStrictEqual({ send_holiday: false });
      const wanted = { ...groupNamed(outcome.before, "Customers"), send_holiday: false };
      expect(groupNamed(outcome.after, "Customers")).toStrictEqual(wanted);
      expect(outcome.stderr).not.toContain("Warning");
    }));

  test("compares the response with the changes", () =>
    knowing(kept, { trims: true }, async (trial) => {
      const outcome = await update(trial, "VIP", "--birthday-message", " hi ");
      expect(outcome.exitCode).toBe(10);
      expect(outcome.stderr).toMatch(/birthday_message.*" hi ".*"hi"/);
    }));

  test("sends the name, too, if the service needs it", () =>
    knowing({ ...kept, group_update_requires: "name" }, { put: "needs name" }, async (trial) => {
      const outcome = await update(trial, "VIP", "--send-holiday");
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT"]);
      expect(lastBody(outcome)).toStrictEqual({ name: "VIP", send_holiday: true });
      const renamed = await update(trial, "VIP", "--name", "Regulars");
      expect([renamed.exitCode, ...methodsOf(renamed)]).toStrictEqual([0, "GET", "PUT"]);
    }));

  test("sends every field, with null, if the service needs them", () =>
    knowing(
      { ...kept, group_update_requires: "every_field" },
      { put: "needs every field" },
      async (trial) => {
        const outcome = await update(trial, "VIP", "--name", "Regulars");
        expect(outcome.exitCode, outcome.stderr).toBe(0);
        expect(lastBody(outcome)).toStrictEqual({
          name: "Regulars",
          send_birthday: false,
          send_holiday: null,
          birthday_message: "Cheers",
        });
      },
    ));

  test("sends the whole record after a refusal if it is unknown which fields are needed", () =>
    knowing({ omitted_in_update: "kept" }, { put: "needs name" }, async (trial) => {
      const outcome = await update(trial, "Customers", "--no-send-holiday");
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT", "PUT"]);
      expect(groupNamed(outcome.after, "Customers").send_holiday).toBe(false);
    }));

  const lost: readonly Failure[] = (["connection lost", "gateway page"] as const).flatMap((kind) =>
    (["before", "after"] as const).map((when) => ({
      kind,
      when,
      on: "PUT",
      nth: 1,
      repeats: false,
    })),
  );

  test.for(lost)("is repeated after $kind, $when the work", (failure) =>
    knowing(kept, { failures: [failure] }, async (trial) => {
      const outcome = await update(trial, "Customers", "--name", "Renamed");
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "PUT", "PUT"]);
      const wanted = { ...groupNamed(outcome.before, "Customers"), name: "Renamed" };
      expect(groupNamed(outcome.after, "Renamed")).toStrictEqual(wanted);
    }),
  );

  test("does not send all fields, as a dry run shows", () =>
    knowing(kept, {}, async (trial) => {
      const outcome = await update(trial, "Customers", "--name", "Renamed", "--dry-run");
      expect([outcome.exitCode, outcome.requests.length]).toStrictEqual([0, 0]);
      expect(outcome.stderr).not.toContain("all of its fields");
    }));

  test("sends all fields if the behaviour is that of another service", () =>
    knowing(kept, {}, async (trial) => {
      const { id } = groupNamed(stateOf(trial.vendor.records), "VIP");
      const elsewhere = trial.vendor.baseUrl.replace("127.0.0.1", "localhost");
      const args = ["group", "update", id, "--name", "Regulars"];
      const outcome = await trial.run(args, { baseUrl: elsewhere });
      expect(Object.keys(lastBody(outcome) as object)).toContain("send_birthday");
    }));
});

describe("an update with a sender ID", () => {
  test("sends the id of a name if the service takes ids only", () =>
    knowing({ sender_id_means: "id" }, { senderIdIs: "an id" }, async (trial) => {
      const outcome = await update(trial, "VIP", "--sender-id", "Orders");
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(sent(outcome)).toStrictEqual(["GET /sender-id/Orders", "GET /group/", "PUT /group/"]);
      const { id } = outcome.before.senderIds.find(({ name }) => name === "Orders")!;
      expect(groupNamed(outcome.after, "VIP").sender_id).toBe(id);
      const byId = await update(trial, "Friends", "--sender-id", id);
      expect([byId.exitCode, ...methodsOf(byId)]).toStrictEqual([0, "GET", "PUT"]);
    }));

  test("sends the name of an id if the service takes names only", () =>
    knowing({ sender_id_means: "name" }, { senderIdIs: "a name" }, async (trial) => {
      const { id } = stateOf(trial.vendor.records).senderIds.find(({ name }) => name === "Orders")!;
      const outcome = await update(trial, "VIP", "--sender-id", id);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(groupNamed(outcome.after, "VIP").sender_id).toBe("Orders");
      const byName = await update(trial, "Friends", "--sender-id", "Orders");
      expect([byName.exitCode, ...methodsOf(byName)]).toStrictEqual([0, "GET", "PUT"]);
    }));

  test.for([
    ["id", "an id", "Nobody", /no sender ID is named "Nobody"/],
    ["name", "a name", "777", /no sender ID has the name or the id 777/],
  ] as const)("that does not exist is not sent: %s", ([sender_id_means, senderIdIs, text, line]) =>
    knowing({ sender_id_means }, { senderIdIs }, async (trial) => {
      const outcome = await update(trial, "VIP", "--sender-id", text);
      expect(outcome.exitCode).toBe(4);
      expect(outcome.stderr).toMatch(line);
      expect(methodsOf(outcome)).toStrictEqual(["GET"]);
    }),
  );
});

/** Returns the name of the group with id 3; empty if it does not exist. */
function thirdName({ groups }: Outcome["before"]): string {
  return groups.find(({ id }) => id === "3")?.name ?? "";
}

describe("a group's uuid, if the service looks up ids only,", () => {
  const uuid = uuidOf(3n);
  test("is looked up in the list once", () =>
    knowing({ group_lookup: "id" }, { uuids: false }, async (trial) => {
      const outcome = await trial.run(["group", "delete", uuid, "--yes"]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(sent(outcome).filter((line) => line.startsWith("GET /group?"))).toHaveLength(1);
      expect([thirdName(outcome.before), thirdName(outcome.after)]).toStrictEqual(["VIP", ""]);
    }));

  test("updates the group", () =>
    knowing({ group_lookup: "id" }, { uuids: false }, async (trial) => {
      const outcome = await trial.run([
        "group",
        "update",
        uuid.toUpperCase(),
        "--name",
        "Regulars",
      ]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(thirdName(outcome.after)).toBe("Regulars");
    }));

  test("is reported if no group has it", () =>
    knowing({ group_lookup: "id" }, { uuids: false }, async (trial) => {
      const outcome = await trial.run(["group", "fetch", uuidOf(777n)]);
      expect(outcome.exitCode).toBe(4);
      expect(outcome.stderr).toContain(`no group has the uuid ${uuidOf(777n)}`);
      expect(methodsOf(outcome)).toStrictEqual(["GET"]);
    }));
});

describe("a whole list takes as few requests as possible", () => {
  type Row = readonly [
    what: string,
    behaviour: PartialBehaviour,
    switches: Partial<Switches>,
    groups: number,
    exitCode: number,
    queries: readonly string[],
  ];
  const without = { page_parameter: "ignored", per_page_max: 20 } as const;
  const rows: readonly Row[] = [
    ["one that fits", without, { page: "ignored", maxPerPage: 20 }, 20, 0, ["perPage=20"]],
    ["one that does not fit", without, { page: "ignored", maxPerPage: 20 }, 21, 10, ["perPage=20"]],
    [
      "a size that would be refused",
      { page_parameter: "refused", per_page_max: 20, per_page_over_max: "refused" },
      { page: "refused", maxPerPage: 20, overMaxPerPage: "refused" },
      19,
      0,
      ["perPage=20"],
    ],
    [
      "pages of the largest size",
      { page_parameter: "honoured", per_page_max: 20 },
      { maxPerPage: 20, overMaxPerPage: "refused" },
      30,
      0,
      ["perPage=20", "perPage=20&page=2"],
    ],
    [
      "a refused page past the end",
      { page_parameter: "honoured", past_the_end: "refused", per_page_max: 20 },
      { maxPerPage: 20, pastTheEnd: "refused" },
      20,
      0,
      ["perPage=20", "perPage=20&page=2"],
    ],
  ];

  test.for(rows)("%s", ([, behaviour, switches, groups, exitCode, queries]) =>
    knowing(
      behaviour,
      switches,
      async (trial) => {
        const outcome = await trial.run(["group", "list", "--all", "--json"]);
        expect(outcome.exitCode, outcome.stderr).toBe(exitCode);
        expect(outcome.requests.map(({ path }) => path.split("?")[1])).toStrictEqual(queries);
        expect(exitCode === 0 ? shownIds(outcome.stdout) : []).toHaveLength(
          exitCode === 0 ? groups : 0,
        );
      },
      groups,
    ),
  );

  test("but a page size of the user is sent unchanged", () =>
    knowing(
      { per_page_max: 20, per_page_over_max: "refused" },
      { maxPerPage: 20, overMaxPerPage: "refused" },
      async (trial) => {
        const outcome = await trial.run(["group", "list", "--per-page", "50"]);
        expect(outcome.exitCode).toBe(6);
        expect(outcome.requests[0]!.path).toContain("perPage=50");
      },
    ));
});
