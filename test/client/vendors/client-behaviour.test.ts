import { describe, expect, test } from "vitest";
import { groupNamed, shownIds } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { know } from "./known-behaviour.ts";
import { uuidOf } from "./records.ts";
import { stateOf } from "./state.ts";
import type { Switches } from "./switches.ts";
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
    await know(trial, behaviour);
    return action(trial);
  });
}

describe("an update with a sender ID", () => {
  test.for([
    ["id", "an id", { name: "Orders", sent: "2" }],
    ["name", "a name", { name: "2", sent: "Orders" }],
  ] as const)("sends the %s if the service takes only that", ([means, senderIdIs, given]) =>
    knowing({ sender_id_means: means }, { senderIdIs }, async (trial) => {
      const update = (group: string, sender: string): Promise<Outcome> => {
        const { id } = groupNamed(stateOf(trial.vendor.records), group);
        return trial.run(["group", "update", id, "--sender-id", sender]);
      };
      const outcome = await update("VIP", given.name);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.methods.slice(-2)).toStrictEqual(["GET", "PUT"]);
      const isFetched = outcome.requests[0]!.path === "/v1/sender-id/Orders";
      expect(isFetched).toBe(means === "id");
      expect(groupNamed(outcome.after, "VIP").sender_id).toBe(given.sent);
      const direct = await update("Friends", given.sent);
      expect([direct.exitCode, ...direct.methods]).toStrictEqual([0, "GET", "PUT"]);
    }),
  );

  test.for([
    ["id", "an id", "Nobody", /no sender ID is named "Nobody"/],
    ["name", "a name", "777", /no sender ID has the name or the id 777/],
  ] as const)("that does not exist is not sent: %s", ([sender_id_means, senderIdIs, text, line]) =>
    knowing({ sender_id_means }, { senderIdIs }, async (trial) => {
      const outcome = await trial.run(["group", "update", "3", "--sender-id", text]);
      expect([outcome.exitCode, ...outcome.methods]).toStrictEqual([4, "GET"]);
      expect(outcome.stderr).toMatch(line);
    }),
  );
});

describe("a group's uuid, if the service looks up ids only,", () => {
  const uuid = uuidOf(3n);
  const byId = { group_lookup: "id" } as const;
  test.for([
    ["delete", [uuid, "--yes"], undefined],
    ["update", [uuid.toUpperCase(), "--name", "Regulars"], "Regulars"],
  ] as const)("is looked up in the list once: %s", ([verb, args, name]) =>
    knowing(byId, { uuids: false }, async (trial) => {
      const outcome = await trial.run(["group", verb, ...args]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.requests.filter(({ path }) => path.includes("group?"))).toHaveLength(1);
      const third = outcome.after.groups.find(({ id }) => id === "3");
      expect(third?.name).toBe(name);
    }),
  );

  test("is reported if no group has it", () =>
    knowing(byId, { uuids: false }, async (trial) => {
      const outcome = await trial.run(["group", "fetch", uuidOf(777n)]);
      expect([outcome.exitCode, ...outcome.methods]).toStrictEqual([4, "GET"]);
      expect(outcome.stderr).toContain(`no group has the uuid ${uuidOf(777n)}`);
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
  const refusesLong = { maxPerPage: 20, overMaxPerPage: "refused" } as const;
  const paged = { page_parameter: "honoured", per_page_max: 20 } as const;
  const twoPages = ["perPage=20", "perPage=20&page=2"];
  const rows: readonly Row[] = [
    ["one that fits", without, { page: "ignored", maxPerPage: 20 }, 20, 0, ["perPage=20"]],
    ["one that does not fit", without, { page: "ignored", maxPerPage: 20 }, 21, 10, ["perPage=20"]],
    [
      "a size that would be refused",
      { page_parameter: "refused", per_page_max: 20, per_page_over_max: "refused" },
      { page: "refused", ...refusesLong },
      19,
      0,
      ["perPage=20"],
    ],
    ["pages of the largest size", paged, refusesLong, 30, 0, twoPages],
    [
      "a refused page past the end",
      { ...paged, past_the_end: "refused" },
      { maxPerPage: 20, pastTheEnd: "refused" },
      20,
      0,
      twoPages,
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
        expect(shownIds(outcome.stdout)).toHaveLength(exitCode === 0 ? groups : 0);
      },
      groups,
    ),
  );

  test("but a page size of the user is sent unchanged", () =>
    knowing({ per_page_max: 20, per_page_over_max: "refused" }, refusesLong, async (trial) => {
      const outcome = await trial.run(["group", "list", "--per-page", "50"]);
      expect(outcome.exitCode).toBe(6);
      expect(outcome.requests[0]!.path).toContain("perPage=50");
    }));
});
