import { describe, expect, test } from "vitest";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { groupNamed } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { know } from "./known-behaviour.ts";
import { uuidOf } from "./records.ts";
import { stateOf, type GroupState } from "./state.ts";
import type { Failure, Switches } from "./switches.ts";
import type { Outcome, Trial } from "./try-command.ts";
import { envelope, group, page } from "../sample-responses.ts";
import { startService } from "../scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { test as withHome } from "../../support/home.ts";
import { startVendor } from "./vendor-service.ts";

const customers = {
  name: "Customers",
  send_birthday: true,
  send_holiday: true,
  birthday_message: "Happy birthday, {first_name}!",
};
const vip = { name: "VIP", send_birthday: false, birthday_message: "Cheers" };

/** Runs an action against a service of which a behaviour may be known. */
function knowing<Result>(
  behaviour: PartialBehaviour | undefined,
  switches: Partial<Switches>,
  action: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  return inSituation({ switches }, async (trial) => {
    if (behaviour !== undefined) await know(trial, behaviour);
    return action(trial);
  });
}

/** Updates a group. */
function update(
  switches: Partial<Switches>,
  behaviour: PartialBehaviour | undefined,
  name: string,
  args: readonly string[],
): Promise<Outcome> {
  return knowing(behaviour, switches, async (trial) => {
    const { id } = groupNamed(stateOf(trial.vendor.records), name);
    return trial.run(["group", "update", id, ...args]);
  });
}

const kept = { omitted_in_update: "kept", group_update_requires: "nothing" } as const;
const needsName = { ...kept, group_update_requires: "name" } as const;
const needsAll = { ...kept, group_update_requires: "every_field" } as const;
const renamed = ["--name", "Renamed"];

const mayBeReset = /may have reset the sender ID/;

const renamedVip = { ...vip, name: "Renamed" };
const renamedCustomers = { ...customers, name: "Renamed" };
const withoutHoliday = ["--no-send-holiday"];
const needName = { put: "needs name" } as const;

interface Update {
  readonly switches?: Partial<Switches>;
  readonly known?: PartialBehaviour;
  readonly group?: "Customers" | "VIP";
  /** The default renames the group. */
  readonly args?: readonly string[];
  /** The body of the last request. */
  readonly sent: object;
  readonly warning?: RegExp;
  readonly puts?: number;
  /** Stored fields beside those that were sent. */
  readonly reset?: Partial<GroupState>;
}

const updates: Readonly<Record<string, Update>> = {
  "all visible fields, so that a service can replace the record": {
    switches: { put: "resets omitted" },
    sent: renamedCustomers,
    reset: { sender_id: null },
    warning: mayBeReset,
  },
  "no unchanged null fields": {
    switches: { nulls: "refused" },
    group: "VIP",
    sent: renamedVip,
    warning: mayBeReset,
  },
  "all visible fields beside a new sender ID, without a warning": {
    args: ["--sender-id", "Orders"],
    sent: { ...customers, sender_id: "Orders" },
  },
  "all visible fields to a service that shows the sender ID, without a warning": {
    switches: { extraFields: true },
    sent: { ...renamedCustomers, sender_id: "ACME" },
  },
  "the changes only, if omitted fields are known to be kept": {
    known: kept,
    args: withoutHoliday,
    sent: { send_holiday: false },
  },
  "the name, too, if the service is known to need it": {
    switches: needName,
    known: needsName,
    group: "VIP",
    args: ["--send-holiday"],
    sent: { name: "VIP", send_holiday: true },
  },
  "a new name alone, if the service is known to need one": {
    switches: needName,
    known: needsName,
    sent: { name: "Renamed" },
  },
  "every field, with null, if the service is known to need them": {
    switches: { put: "needs every field" },
    known: needsAll,
    group: "VIP",
    sent: { ...renamedVip, send_holiday: null },
  },
  "the whole record after a refusal, if it is unknown which fields are needed": {
    switches: needName,
    known: { omitted_in_update: "kept" },
    args: withoutHoliday,
    sent: { ...customers, send_holiday: false },
    puts: 2,
  },
};

test.for(Object.entries(updates))("an update sends %s", async ([, given]) => {
  const { switches = {}, group = "Customers", sent, puts = 1 } = given;
  const outcome = await update(switches, given.known, group, given.args ?? renamed);
  expect(outcome.exitCode, outcome.stderr).toBe(0);
  expect(outcome.methods).toStrictEqual(["GET", ...Array<string>(puts).fill("PUT")]);
  expect(JSON.parse(outcome.requests.at(-1)!.body)).toStrictEqual(sent);
  const old = groupNamed(outcome.before, group);
  const now = outcome.after.groups.find(({ id }) => id === old.id);
  expect(now).toStrictEqual({ ...old, ...sent, ...given.reset });
  expect(outcome.stderr).toMatch(given.warning ?? /^(?!.*Warning)/s);
});

const lost: readonly Failure[] = (["connection lost", "gateway page"] as const).flatMap((kind) =>
  (["before", "after"] as const).map((when) => ({ kind, when, on: "PUT", nth: 1, repeats: false })),
);

describe.for([undefined, kept])("an update with the behaviour %j", (behaviour) => {
  test.for(lost)("is repeated after $kind, $when the work", async (failure) => {
    const outcome = await update({ failures: [failure] }, behaviour, "Customers", renamed);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(outcome.methods).toStrictEqual(["GET", "PUT", "PUT"]);
    const wanted = { ...groupNamed(outcome.before, "Customers"), name: "Renamed" };
    expect(groupNamed(outcome.after, "Renamed")).toStrictEqual(wanted);
  });

  test("of a value that is stored differently exits with 10 and shows both values", async () => {
    const args = ["--birthday-message", " hi ", "--json"];
    const outcome = await update({ trims: true }, behaviour, "VIP", args);
    expect(outcome.exitCode).toBe(10);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { kind: "unexpected_response" } });
    expect(outcome.stderr).toMatch(/birthday_message.*" hi ".*"hi"/);
  });

  test("as a dry run sends nothing, and mentions whether all fields would be sent", async () => {
    const outcome = await update({}, behaviour, "Customers", [...renamed, "--dry-run"]);
    expect([outcome.exitCode, ...outcome.requests]).toStrictEqual([0]);
    expect(outcome.stdout).toContain('{"name":"Renamed"}');
    expect(outcome.stderr.includes("all of its fields")).toBe(behaviour === undefined);
  });
});

test("an update reports the refusal of its read", () =>
  inSituation({}, async (trial) => {
    const outcome = await trial.run(["group", "update", "777", ...renamed]);
    expect([outcome.exitCode, ...outcome.methods]).toStrictEqual([4, "GET", "GET"]);
    // 777 may be a name.
    expect(outcome.requests[1]!.path).toMatch(/^\/v1\/group\?/);
  }));

test("an update sends all fields if the behaviour is that of another service", () =>
  knowing(kept, {}, async (trial) => {
    const { id } = groupNamed(stateOf(trial.vendor.records), "VIP");
    const baseUrl = trial.vendor.baseUrl.replace("127.0.0.1", "localhost");
    const { requests } = await trial.run(["group", "update", id, ...renamed], { baseUrl });
    expect(requests.at(-1)!.body).toContain("send_birthday");
  }));

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

  test("sends a name that looks like the id of another one", () =>
    knowing({ sender_id_means: "name" }, { senderIdIs: "a name" }, async (trial) => {
      await trial.run(["sender-id", "create", "2", "--purpose", "Digits"]);
      const { id } = groupNamed(stateOf(trial.vendor.records), "VIP");
      const outcome = await trial.run(["group", "update", id, "--sender-id", "2"]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(groupNamed(outcome.after, "VIP").sender_id).toBe("2");
    }));

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

withHome(
  "the warning is given once to a profile, but to each command without one",
  async ({ home, expect }) => {
    const vendor = await startVendor({ put: "resets omitted" });
    vendor.seed({ groups: [{ name: "Customers" }] });
    const profiles = {
      prod: { baseUrl: vendor.baseUrl, secretKey: vendor.key },
      staging: { baseUrl: vendor.baseUrl, secretKey: vendor.key },
    };
    await writeConfig(home, { profiles });
    const warns = async (message: string, env: Readonly<Record<string, string>>) => {
      const args = ["group", "update", "Customers", "--birthday-message", message];
      const ran = await home.run(args, env);
      expect(ran.exitCode).toBe(0);
      return mayBeReset.test(ran.stderr);
    };
    const unnamed = { SENDCTL_BASE_URL: vendor.baseUrl, SENDCTL_SECRET_KEY: vendor.key };
    expect([
      await warns("1", { SENDCTL_PROFILE: "prod" }),
      await warns("2", { SENDCTL_PROFILE: "prod" }),
      await warns("3", { SENDCTL_PROFILE: "staging" }),
      await warns("4", unnamed),
      await warns("5", unnamed),
    ]).toStrictEqual([true, false, true, true, true]);
    await vendor.close();
  },
);

withHome("the command that the warning advises works", async ({ home, expect }) => {
  const vendor = await startVendor({ put: "resets omitted" });
  vendor.seed({ groups: [{ name: "Customers" }] });
  const { baseUrl, key: secretKey } = vendor;
  await writeConfig(home, { profiles: { prod: { baseUrl, secretKey } } });
  const env = { SENDCTL_SECRET_KEY: secretKey };
  for (const selecting of [
    ["--profile", "prod"],
    ["--base-url", baseUrl],
  ]) {
    const args = ["group", "update", "Customers", "--send-birthday", ...selecting];
    const { stderr } = await home.run(args, env);
    const [, advised] = /or run sendctl (.*) to find out/.exec(stderr) ?? [];
    expect(advised, stderr).toBeDefined();
    const followed = await home.run([...advised!.split(" "), "--yes"], env);
    expect(followed.exitCode, followed.stderr).toBe(0);
  }
  await vendor.close();
});

withHome("a group whose sender ID was cleared has none to lose", async ({ home, expect }) => {
  const vendor = await startVendor({ put: "resets omitted" });
  vendor.seed({ senderIds: [{ name: "ACME" }], groups: [{ name: "Customers" }] });
  const env = { SENDCTL_BASE_URL: vendor.baseUrl, SENDCTL_SECRET_KEY: vendor.key };
  const clear = ["group", "update", "Customers", "--clear-sender-id"];
  expect((await home.run(clear, env)).stderr).not.toMatch(mayBeReset);
  await vendor.close();
});

withHome("a uuid is found in a list that shows it in capitals", async ({ home, expect }) => {
  const shown = { ...group, uuid: uuidOf(12n).toUpperCase() };
  const service = await startService(({ target }, { respond }) =>
    respond(200, envelope(target === "/v1/group/12" ? shown : page([shown]))),
  );
  const { baseUrl } = service;
  const behaviour = { group_lookup: "id" };
  await writeConfig(home, { profiles: { prod: { baseUrl, secretKey: "sk_1", behaviour } } });
  const args = ["--profile", "prod", "group", "fetch", uuidOf(12n), "-o", "id"];
  expect(await home.run(args)).toMatchObject({ exitCode: 0, stdout: "12\n" });
  await service.close();
});
