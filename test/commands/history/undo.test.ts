import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { dataOf, runAtTerminal, test, type Home } from "../../support/home.ts";
import { run } from "../../client/run-remote.ts";
import { startSmallService } from "./small-service.ts";

type Shown = Readonly<Record<string, unknown>>;

/** Returns the records without what does not come back. */
function comparable(records: readonly Shown[]): readonly Shown[] {
  return records
    .map(({ id: _id, uuid: _uuid, created_at: _time, contacts_count: _count, ...rest }) => rest)
    .toSorted((left, right) => (String(left["name"]) < String(right["name"]) ? -1 : 1));
}

async function list(home: Home, noun: string, env = {}): Promise<readonly Shown[]> {
  const listed = await home.run([noun, "list", "--all", "--json"], env);
  return (dataOf(listed) as { data: readonly Shown[] }).data;
}

const start = [
  "group create A --send-birthday",
  "group create B",
  "group create C",
  "group create D",
  "group create E",
  "group update A --send-holiday --birthday-message Hello",
  "sender-id create ACME --purpose Orders",
];

/** Commands that change something, and a manifest for some of them. */
const commands: readonly (readonly [command: string, manifest?: string])[] = [
  ["group create F --birthday-message Hi"],
  ["group update A --no-send-birthday --clear-birthday-message"],
  ["group update A --name Z"],
  ["group rename B Y"],
  ["group delete A --yes"],
  ["group delete A B C D E --yes"],
  ["sender-id create Shop --purpose News"],
  ["sender-id delete ACME --yes"],
  ['api POST /v1/group {"name":"F"}'],
  [
    "apply manifest.json --yes --prune",
    '{"groups":[{"name":"A","send_holiday":false},{"name":"N"}]}',
  ],
  [
    "apply manifest.json --yes --replace",
    '{"sender_ids":[{"name":"ACME","purpose":"Other"}],"groups":[{"name":"N","sender_id":"ACME"}]}',
  ],
];

describe.for(["keeps", "resets", "embedded"] as const)("undo, on a service that %s", (kind) => {
  test.for(commands)("%s", async ([command, manifest], { home, expect }) => {
    const env = kind === "embedded" ? {} : (await startSmallService(kind)).env;
    for (const line of start)
      expect(await home.run(line.split(" "), env)).toMatchObject({ exitCode: 0 });
    if (manifest !== undefined) await writeFile(join(home.folder, "manifest.json"), manifest);
    const state = async () =>
      [await list(home, "group", env), await list(home, "sender-id", env)].map(comparable);
    const before = await state();
    const words = command.split(" ");
    if (words[0] === "api") words.splice(3, 0, "--body");
    expect(await home.run(words, env)).toMatchObject({ exitCode: 0 });
    expect(await state()).not.toStrictEqual(before);

    const dry = await home.run(["undo", "--dry-run", "--json"], env);
    expect(dry.exitCode).toBe(0);
    expect(await state()).not.toStrictEqual(before);
    const undone = await home.run(["undo", "--yes"], env);
    expect(undone).toMatchObject({ exitCode: 0 });
    expect(undone.stderr).toMatch(
      /^Undone: \d+ (?:groups?|sender IDs?) (?:created|updated|replaced|deleted)/m,
    );
    expect(await state()).toStrictEqual(before);
    const entries = (dataOf(await home.run(["history", "--json"], env)) as { data: Shown[] }).data;
    expect(entries.slice(0, 2)).toMatchObject([{ state: "undo of 2" }, { state: "undone" }]);
    expect(await home.run(["undo", "2", "--yes"], env)).toMatchObject({ exitCode: 2 });
  });
});

test("takes back one command after the other", async ({ home, expect }) => {
  const { env, groups, senderIds } = await startSmallService("resets");
  for (const line of start) await home.run(line.split(" "), env);
  for (const _ of start) {
    expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  }
  expect([groups, senderIds]).toStrictEqual([[], []]);
  const nothing = await home.run(["undo", "--yes"], env);
  expect(nothing).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("nothing to undo"),
  });
});

describe("what has changed since is refused, and nothing is done", () => {
  test.for([
    ["group update A --name Z", "group update 1 --name Other", "a different name"],
    ["group update A --name Z", "group delete 1 --yes", "no longer exists"],
    ["group delete A B --yes", "group create B", "another one has its name"],
    ["group delete A B --yes", "group create b", "another one has its name"],
    ["group update 1 --name Z", "local reset --yes && group create Z", "no longer exists"],
    [
      "sender-id delete ACME --yes",
      "sender-id create ACME --purpose Mine",
      "another one has its name",
    ],
    ["group create F", "group update F --send-birthday", "a different send_birthday"],
    ["group create F", "local contact add F +447911123401", "has 1 contact"],
    [
      "sender-id create Shop --purpose x",
      "local review Shop --status APPROVED",
      "a different status",
    ],
  ] as const)("%s, then %s", async ([command, change, reason], { home, expect }) => {
    for (const line of [...start, command]) await home.run(line.split(" "));
    for (const line of change.split(" && ")) {
      const changed = await home.run(line.split(" "), { SENDCTL_NO_HISTORY: "1" });
      expect(changed).toMatchObject({ exitCode: 0 });
    }
    const before = [await list(home, "group"), await list(home, "sender-id")];
    const refused = await home.run(["undo", "--yes"]);
    expect(refused).toMatchObject({ exitCode: 12, stderr: expect.stringContaining(reason) });
    expect([await list(home, "group"), await list(home, "sender-id")]).toStrictEqual(before);
  });
});

test("warns of a lost sender_id only if the command set one, or a group is created again", async ({
  home,
  expect,
}) => {
  const { env } = await startSmallService("keeps");
  for (const line of start) await home.run(line.split(" "), env);
  const lost = "the sender_id of a group, which the service never shows";
  for (const [line, isLost] of [
    ["group update A --name Z", false],
    ["group update B --sender-id ACME --send-holiday", true],
    ["group delete C --yes", true],
  ] as const) {
    expect(await home.run(line.split(" "), env)).toMatchObject({ exitCode: 0 });
    const { stdout, stderr } = await home.run(["undo", "--dry-run"], env);
    expect((stdout + stderr).includes(lost), line).toBe(isLost);
  }
});

test("asks before it changes anything", async ({ home, expect }) => {
  const { env, groups, requests } = await startSmallService("keeps");
  for (const line of start) await home.run(line.split(" "), env);
  await home.run(["group", "delete", "A", "B", "--yes"], env);
  expect(await home.run(["undo"], env)).toMatchObject({ exitCode: 2 });
  const declined = await runAtTerminal(home, ["undo"], { env, keys: [["Undo this", "n\r"]] });
  expect(declined.exitCode).toBe(130);
  expect(groups).toHaveLength(3);
  const writes = requests.filter((request) => !request.startsWith("GET "));
  expect(writes).toHaveLength(start.length + 2);
});

test("what changes while it asks is refused", async ({ home, expect }) => {
  const { env, groups, requests } = await startSmallService("keeps");
  for (const line of start) await home.run(line.split(" "), env);
  await home.run(["group", "update", "1", "--name", "Z"], env);
  const sent = requests.length;
  // Another client changes the group after the first list.
  const name = (): string => (requests.length === sent + 1 ? "Z" : "Theirs");
  Object.defineProperty(groups[0], "name", { enumerable: true, get: name });
  const refused = await runAtTerminal(home, ["undo"], { env, keys: [["Undo this", "y\r"]] });
  expect(refused).toMatchObject({ exitCode: 12 });
  expect(requests.slice(sent).filter((request) => !request.startsWith("GET "))).toEqual([]);
});

test("a create sends no further request, and a delete none but those of before", async ({
  home,
  expect,
}) => {
  const { env, requests } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  await home.run(["group", "delete", "1", "--yes"], env);
  expect(requests).toStrictEqual(["POST /v1/group", "GET /v1/group/1", "DELETE /v1/group/1"]);
});

test("goes on after a failure, without doing anything twice", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  for (const line of start) await home.run(line.split(" "), env);
  await home.run(["group", "delete", "A", "B", "C", "--yes"], env);
  service.refused = "B";
  const stopped = await home.run(["undo", "--yes"], env);
  expect(stopped).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("2 of 3") });
  service.refused = undefined;
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  expect(groups.map(({ name }) => name)).toStrictEqual(["D", "E", "C", "A", "B"]);
});

test("a step whose second request fails is refused by the next undo, which says how to complete it", async ({
  home,
  expect,
}) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  for (const line of ["group create A", "group update A --send-holiday"]) {
    await home.run(line.split(" "), env);
  }
  await home.run(["group", "delete", "A", "--yes"], env);
  service.refusesUpdates = 500;
  const stopped = await home.run(["undo", "--yes"], env);
  expect(stopped).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("0 of 1") });
  service.refusesUpdates = false;
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({ exitCode: 12, stderr: expect.stringContaining("has its name") });
  expect(refused.stderr).toContain("-o yaml");
  expect(groups).toHaveLength(1);
});

test("what was taken back by other means counts as undone", async ({ home, expect }) => {
  const { env, groups } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  await home.run(["group", "update", "A", "--birthday-message", "Hi"], env);
  await home.run(["group", "update", "A", "--clear-birthday-message"], env);
  expect(await home.run(["undo", "2", "--yes"], env)).toMatchObject({ exitCode: 0 });
  await home.run(["group", "delete", "A", "--yes"], env);
  const undone = await home.run(["undo", "4", "--yes"], env);
  expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Nothing to undo") });
  expect(groups).toHaveLength(0);
});

test("an update that a service ignores is not undone, and can be undone later", async ({
  home,
  expect,
}) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  // Its pauses take no time.
  const clock = { now: Date.now() };
  const runNow = (line: string): ReturnType<typeof run> => {
    clock.now += 1;
    return run(line.split(" "), { env, home: home.folder, clock });
  };
  await runNow("group create A");
  await runNow("group update A --birthday-message Hi");
  service.ignoresNull = true;
  const failed = await runNow("undo --yes");
  expect(failed).toMatchObject({ exitCode: 10, stderr: expect.stringContaining("0 of 1 steps") });
  expect(failed.stderr).toContain('birthday_message was sent as null, stored as "Hi"');
  service.ignoresNull = false;
  expect(await runNow("undo --yes")).toMatchObject({ exitCode: 0 });
  expect(groups).toMatchObject([{ name: "A", birthday_message: null }]);
});

test("a record that was created again is another one to earlier commands", async ({
  home,
  expect,
}) => {
  const { env, groups } = await startSmallService("keeps");
  for (const line of ["group create A", "group update A --name B", "group delete B --yes"]) {
    await home.run(line.split(" "), env);
  }
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining("no longer exists"),
  });
  expect(groups.map(({ name }) => name)).toStrictEqual(["B"]);
});

test("a group whose contacts are not shown is not deleted", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  await home.run(["group", "create", "A"], env);
  service.hidesContacts = true;
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({ exitCode: 12, stderr: expect.stringContaining("contacts") });
  expect(groups).toHaveLength(1);
});

test.for(["2", null, "some", ""])(
  "a group is not deleted if its number of contacts is %s",
  async (count, { home, expect }) => {
    const { env, groups } = await startSmallService("keeps");
    await home.run(["group", "create", "A"], env);
    groups[0]!["contacts_count"] = count;
    const refused = await home.run(["undo", "--yes"], env);
    expect(refused).toMatchObject({ exitCode: 12, stderr: expect.stringContaining("contacts") });
    expect(groups).toHaveLength(1);
  },
);

test("a record that a service had before the create is not deleted", async ({ home, expect }) => {
  const { env, groups } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  groups[0]!["created_at"] = new Date(Date.now() - 3_600_000).toISOString();
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining("existed before"),
  });
  expect(groups).toHaveLength(1);
});

test("an unknown outcome is marked, and cannot be undone", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env } = service;
  service.lost = "A";
  const created = await home.run(["group", "create", "A", "--retries", "0"], env);
  expect(created.exitCode).toBe(9);
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("unknown") });
  expect(refused.stderr).toContain("hint: sendctl history 1 --base-url ");
});

test("an update with an unknown outcome has the record as it was", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env } = service;
  await home.run(["group", "create", "A", "--send-birthday"], env);
  service.loses = "PUT";
  const update = ["group", "update", "A", "--name", "B", "--sender-id", "ACME", "--retries", "0"];
  const updated = await home.run(update, env);
  expect(updated.exitCode).toBe(9);
  expect(updated.stderr).toContain("; it shows no sender ID: set that again\n");
  const [entry] = (dataOf(await home.run(["history", "--json"], env)) as { data: Shown[] }).data;
  expect(entry).toMatchObject({ changes: "1 unknown" });
  const shown = await home.run(["history", "1"], env);
  expect(shown.stdout).toContain(
    'update  group A (id 1)  name: "A" → "B", sender_id: null → "ACME" (outcome unknown)\n',
  );
  const manifest = await home.run(["history", "1", "-o", "yaml"], env);
  expect(manifest.stdout).toContain("name: A\n    send_birthday: true\n");
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/hint: sendctl history 1 -o yaml .* prints the records/),
  });
});

test("a change that was refused before it was sent is not in the history", async ({
  home,
  expect,
}) => {
  const { env, groups } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  Object.assign(groups[0]!, { toJSON: () => ({ ...groups[0], id: 9 }) });
  expect(await home.run(["group", "update", "1", "--name", "B"], env)).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining("nothing was changed"),
  });
  const { data } = dataOf(await home.run(["history", "--json"], env)) as { data: Shown[] };
  expect(data).toHaveLength(1);
});

test("an apply that found the record of a lost create can be undone", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  const file = join(home.folder, "manifest.json");
  await writeFile(file, '{"groups":[{"name":"A","birthday_message":"Hi"}]}');
  service.lost = "A";
  const apply = ["apply", file, "--yes", "--retries", "0"];
  await home.run(apply, { ...env, SENDCTL_NO_HISTORY: "1" });
  expect(dataOf(await home.run(["history", "--json"], env))).toMatchObject({ total: 0 });
  groups.length = 0;
  expect(await home.run(apply, env)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("found it (id 2)"),
  });
  service.lost = undefined;
  const [entry] = (dataOf(await home.run(["history", "--json"], env)) as { data: Shown[] }).data;
  expect(entry).toMatchObject({ changes: "1 created", state: null });
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  expect(groups).toStrictEqual([]);
});

test("a sender ID of the same name in another case is not in the way", async ({ home, expect }) => {
  const { env, senderIds } = await startSmallService("keeps");
  for (const name of ["ACME", "acme"]) {
    await home.run(["sender-id", "create", name, "--purpose", "Orders"], env);
  }
  await home.run(["sender-id", "delete", "acme", "--yes"], env);
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  expect(senderIds.map(({ name }) => name)).toStrictEqual(["ACME", "acme"]);
});

test("a group of the same name that existed before is not in the way", async ({ home, expect }) => {
  const { env, groups } = await startSmallService("keeps");
  for (const line of ["group create A", "group create A", "group delete 2 --yes"]) {
    await home.run(line.split(" "), env);
  }
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  expect(groups.map(({ name }) => name)).toStrictEqual(["A", "A"]);
});

test("an entry that cannot be undone names the next one that can", async ({ home, expect }) => {
  const { env } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  await home.run(["api", "DELETE", "/v1/group/99"], env);
  await home.run(["group", "update", "A", "--sender-id", "ACME"], env);
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({ exitCode: 2 });
  const [, next] =
    /hint: to undo sendctl group create A: sendctl undo (\d) --base-url /.exec(refused.stderr) ??
    [];
  expect(await home.run(["undo", next!, "--dry-run"], env)).toMatchObject({ exitCode: 0 });
});

test("what was stored with other values can be undone", async ({ home, expect }) => {
  const service = await startSmallService("keeps");
  const { env, groups } = service;
  service.trims = true;
  const message = ["--birthday-message", " Hi "];
  const created = await home.run(["group", "create", "A", ...message], env);
  expect(created.exitCode).toBe(10);
  const hint = "hint: it was created (id 1); to delete it: sendctl group delete --base-url";
  expect(created.stderr).toContain(hint);
  expect(await home.run(["undo", "--yes"], env)).toMatchObject({ exitCode: 0 });
  expect(groups).toStrictEqual([]);
  await home.run(["group", "create", "B"], env);
  expect((await home.run(["group", "update", "B", ...message], env)).exitCode).toBe(10);
  expect(groups).toMatchObject([{ name: "B", birthday_message: "Hi" }]);
  const undone = await home.run(["undo", "--yes"], env);
  expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
  expect(groups).toMatchObject([{ name: "B", birthday_message: null }]);
});

test("a raw delete of a remote service cannot be undone", async ({ home, expect }) => {
  const { env } = await startSmallService("keeps");
  await home.run(["group", "create", "A"], env);
  await home.run(["api", "DELETE", "/v1/group/1"], env);
  const refused = await home.run(["undo", "--yes"], env);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("not known") });
});

/** Returns the name of the sender ID under which the birthday messages of a group would be sent. */
async function senderOf(home: Home, group: string): Promise<unknown> {
  const contact = ["local", "contact", "add", group, "+14155550100", "--birth-date", "2000-05-05"];
  expect(await home.run(contact)).toMatchObject({ exitCode: 0 });
  const listed = await home.run(["local", "birthdays", "--on", "2026-05-05", "--json"]);
  const { data } = dataOf(listed) as { data: readonly Shown[] };
  return data.find((birthday) => birthday["group"] === group)?.["sender_id"];
}
describe("the sender ID of a group in the embedded database", () => {
  const linked = [
    ...start,
    "sender-id create Shop --purpose News",
    "group update A --sender-id ACME",
  ];

  test.for([
    "group update A --sender-id Shop",
    "group update A --clear-sender-id",
    "group delete A --yes",
    "sender-id delete ACME --yes",
  ])("comes back after %s", async (command, { home, expect }) => {
    for (const line of [...linked, command]) {
      expect(await home.run(line.split(" "))).toMatchObject({ exitCode: 0 });
    }
    const manifest = (await home.run(["history", "1", "-o", "yaml"])).stdout;
    expect(manifest).toContain("sender_id: ACME");
    expect(await home.run(["undo", "--yes"])).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining("never shows") as string,
    });
    expect(await senderOf(home, "A")).toBe("ACME");
  });

  test("stays as it is where the command left it alone", async ({ home, expect }) => {
    for (const line of [...linked, "group update A --name Z", "group update Z --sender-id Shop"]) {
      await home.run(line.split(" "));
    }
    expect(await home.run(["undo", "2", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await senderOf(home, "A")).toBe("Shop");
  });

  test("is refused if it has changed since", async ({ home, expect }) => {
    for (const line of [
      ...linked,
      "group update A --sender-id Shop",
      "group update A --clear-sender-id",
    ]) {
      await home.run(line.split(" "));
    }
    const refused = await home.run(["undo", "2", "--yes"]);
    expect(refused).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining("sender_id") as string,
    });
    expect(await senderOf(home, "A")).toBeNull();
  });

  test("cannot come back if it was deleted in the meantime", async ({ home, expect }) => {
    for (const line of [...linked, "group delete A --yes", "sender-id delete ACME --yes"]) {
      await home.run(line.split(" "));
    }
    const refused = await home.run(["undo", "2", "--yes"]);
    expect(refused).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining("ACME") as string,
    });
    expect(await home.run(["undo", "1", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await home.run(["undo", "3", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await senderOf(home, "A")).toBe("ACME");
  });
});

test("an undo cannot be undone", async ({ home, expect }) => {
  await home.run(["group", "create", "A"]);
  await home.run(["undo", "--yes"]);
  const refused = await home.run(["undo", "1", "--yes"]);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("an undo itself") });
});

test("an undo of apply --replace says that groups lose their sender ID", async ({
  home,
  expect,
}) => {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Old"]);
  await home.run(["group", "create", "G", "--sender-id", "ACME"]);
  const manifest = "{sender_ids: [{name: ACME, purpose: New}]}";
  await home.run(["apply", "-", "--replace", "--yes"], {}, manifest);
  const undone = await home.run(["undo", "--yes"]);
  expect(undone).toMatchObject({ exitCode: 0 });
  expect(undone.stderr).toContain("the sender_id of groups that used a deleted sender ID");
});

test("the records before an entry are found by uuid, because another group may have their ids", async ({
  home,
  expect,
}) => {
  await home.run(["group", "create", "Staff"]);
  await home.run(["group", "update", "Staff", "--send-holiday"]);
  const { uuid } = dataOf(await home.run(["group", "fetch", "Staff", "--json"])) as Shown;
  const manifest = (await home.run(["history", "1", "-o", "yaml"])).stdout;
  expect(manifest).toContain(`uuid: "${String(uuid)}"`);
  expect(manifest).not.toMatch(/^ *-? *id:/m);
});

test("prints no format of lists, and hints at the records as they were", async ({
  home,
  expect,
}) => {
  await home.run(["group", "create", "A"]);
  for (const format of ["csv", "id", "markdown"])
    expect(await home.run(["undo", "--yes", "-o", format])).toMatchObject({ exitCode: 2 });
  await home.run(["group", "update", "A", "--send-birthday"]);
  await home.run(["local", "reset", "--yes"]);
  const refused = await home.run(["undo", "--yes"]);
  expect(refused).toMatchObject({ exitCode: 12 });
  expect(refused.stderr).toMatch(/^hint: sendctl history 1 -o yaml prints the records/m);
});
