import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test, type Home } from "../support/home.ts";
import { liveService, openLive } from "./apply/apply-remote.ts";
import { now, runOn, runnerOf } from "./run-remote.ts";
import { envelope, group, senderId } from "./sample-responses.ts";
import { startService, type Script } from "./scripted-service.ts";

const cafe = "Cafe\u0301";

/** How a service rewrites names, with a name that it rewrites. */
const rewrites: readonly (readonly [
  how: string,
  name: string,
  rewrite: (name: string) => string,
])[] = [
  ["composes letters", cafe, (name) => name.normalize("NFC")],
  ["stores capitals", "Straße", (name) => name.toUpperCase()],
  ["trims", "Acme ", (name) => name.trim()],
  ["folds white space", "Acme  Ltd", (name) => name.replaceAll(/\s+/g, " ")],
  ["encodes HTML", "Tom & Jerry", (name) => name.replaceAll("&", "&amp;")],
];

type Named = Readonly<Record<string, unknown>>;

function rewriting(rewrite: (name: string) => string) {
  return {
    stored: (record: Named): Named => ({ ...record, name: rewrite(String(record["name"])) }),
  };
}

/** Removes what commands remember, as in a job that starts with an empty home. */
const forget = ({ folder }: Home): Promise<void> =>
  rm(join(folder, ".local", "state"), { recursive: true, force: true });

describe.for(rewrites)("a service that %s", ([, name, rewrite]) => {
  const manifest = { sender_ids: [{ name, purpose: "News" }], groups: [{ name }] };

  test("gets no second record from an apply with an empty home", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, rewriting(rewrite));
    const first = await apply(manifest);
    expect(first, first.stderr).toMatchObject({ exitCode: 10 });
    expect(first.stdout + first.stderr).toMatch(/Created group .*\(id \d+\)/);
    expect(first.stderr).not.toMatch(/could not create/i);
    for (const args of ["apply --yes", "apply --yes --prune", "diff --prune"]) {
      await forget(home);
      const next = await apply(manifest, args);
      expect(next, next.stderr).toMatchObject({ exitCode: 5 });
      expect(next.stderr).toMatch(/id \d+/);
      expect(next.stderr).toMatch(/write it as the service stores it: "/);
      expect(next.requests.filter((line) => !line.startsWith("GET"))).toStrictEqual([]);
    }
    expect(tables.group).toHaveLength(1);
    expect(tables["sender-id"]).toHaveLength(1);
  });

  test.for([
    ["group", "create"],
    ["sender-id", "create", "--purpose", "News"],
  ] as const)(
    "gets no second record from %s create --if-not-exists",
    async (words, { home, expect }) => {
      const { script, tables } = liveService(rewriting(rewrite));
      const service = await startService(script);
      const create = (): ReturnType<typeof runOn> =>
        runOn(service, [...words, "--if-not-exists", "--", name], { home: home.folder });
      expect(await create()).toMatchObject({ exitCode: 10 });
      const next = await create();
      await service.close();
      expect(next, next.stderr).toMatchObject({ exitCode: 5 });
      expect(next.stderr).toMatch(
        /the same for people as the existing .*\(id \d+\); nothing was created/,
      );
      expect(next.stderr).toContain("write it as the service stores it: ");
      expect(tables[words[0]]).toHaveLength(1);
    },
  );
});

test("no hint deletes another sender ID that has the name under which a new one is stored", async ({
  home,
  expect,
}) => {
  const senderIds = [{ ...senderId, name: "ACME" }];
  const { script } = liveService({ ...rewriting((name) => name.toUpperCase()), senderIds });
  const run = await runnerOf(home, script);
  const ran = await run("sender-id", "create", "acme", "--purpose", "x");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  expect(ran.stderr).toContain("it was created (id 101)");
  expect(ran.stderr).not.toContain("delete");
});

describe("what a list shows after its deletion", () => {
  test.for([
    ["sender-id create ACME --purpose x --if-not-exists", 0],
    ["group create Customers --if-not-exists", 0],
    ["apply --yes m.json", 0],
    ["diff m.json", 12],
  ] as const)("is not there: %s", async ([line, exitCode], { home, expect }) => {
    const groups = [{ ...group, id: 12, name: "Customers" }];
    const senderIds = [{ ...senderId, name: "ACME" }];
    const { script } = liveService({ groups, senderIds });
    const { script: old } = liveService({ groups, senderIds });
    const clock = { now };
    const answer: Script = (received, conversation) =>
      (/^GET \S+\?|^GET \/v1\/[a-z-]+$/.test(`${received.method} ${received.target}`)
        ? old
        : script)(received, conversation);
    const runAt = await runnerOf(home, answer, { clock });
    const run: typeof runAt = (...args) => {
      clock.now += 1;
      return runAt(...args);
    };
    const manifest = {
      sender_ids: [{ name: "ACME", purpose: "x" }],
      groups: [{ name: "Customers" }],
    };
    await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
    expect(await run("group", "delete", "12", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await run("sender-id", "delete", "ACME", "--yes")).toMatchObject({ exitCode: 0 });
    const ran = await run(...line.split(" "));
    expect(ran, ran.stderr).toMatchObject({ exitCode });
    expect(ran.stdout).toMatch(/\bCustomers\b|ACME/);
  });
});

test("a sender ID that another client creates between the fetch and the list exists", async ({
  home,
  expect,
}) => {
  const { script } = liveService({ senderIds: [{ ...senderId, name: "ACME" }] });
  const run = await runnerOf(home, (received, conversation) =>
    conversation.index === 1
      ? conversation.respond(404, { status: false, message: "None", data: null })
      : script(received, conversation),
  );
  const ran = await run("sender-id", "create", "ACME", "--purpose", "x", "--if-not-exists");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain("already exists");
});

test("two names that look alike are both escaped", async ({ home, expect }) => {
  const { apply } = await openLive(
    home,
    rewriting((name) => name.normalize("NFC")),
  );
  const first = await apply({ groups: [{ name: cafe }] });
  expect(first.stderr).toContain(String.raw`name was sent as "Cafe\u0301", stored as "Caf\u00e9"`);
  await forget(home);
  const second = await apply({ groups: [{ name: cafe }] });
  expect(second.stderr).toContain(
    String.raw`"Cafe\u0301" is the same for people as the existing "Caf\u00e9"`,
  );
});

test("a record whose name a manifest has beside another one is created", async ({
  home,
  expect,
}) => {
  const { apply, tables } = await openLive(home, { groups: [{ ...group, name: "ACME" }] });
  const result = await apply({ groups: [{ name: "ACME" }, { name: "Acme" }] });
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  expect(tables.group.map(({ name }) => name)).toStrictEqual(["ACME", "Acme"]);
});

test("an apply that only creates does not warn of sender IDs, whatever is stored", async ({
  home,
  expect,
}) => {
  const { apply } = await openLive(home, {
    stored: (record) => ({ ...record, birthday_message: "Hi", send_holiday: null }),
  });
  const result = await apply({
    groups: [{ name: "A", birthday_message: " Hi ", send_holiday: true }],
  });
  expect(result).toMatchObject({ exitCode: 10 });
  expect(result.stderr).not.toContain("sender ID");
});

describe("a create that is answered with a group of another name", () => {
  const base = { ...group, id: 1, name: "Base", created_at: new Date().toISOString() };

  test("is not undone: that would delete the other", async ({ home, expect }) => {
    const { script, tables } = liveService({
      groups: [base],
      create: (_, records) => records,
    });
    const service = await startService(script);
    const run = (...args: readonly string[]): ReturnType<typeof runOn> =>
      runOn(service, args, { home: home.folder });
    const created = await run("group", "create", "Made");
    expect(created, created.stderr).toMatchObject({ exitCode: 10 });
    expect(created.stderr).toContain('returned the record "Base" (id 1) for the create of "Made"');
    expect(await run("undo", "--yes")).toMatchObject({ exitCode: 2 });
    await service.close();
    expect(tables.group).toHaveLength(1);
  });
});

describe("a create that is answered without a record", () => {
  test.for([
    ["202 and no data", 202, { status: true, message: "Accepted", data: null }],
    ["a status that is text", 201, { status: "success", message: "Done", data: group }],
    ["no message", 201, { status: true, data: group }],
    ["304", 304, undefined],
  ] as const)("is looked up once: %s", async ([, status, body], { home, expect }) => {
    const { script, tables } = liveService({});
    const service = await startService((received, conversation) =>
      script(received, {
        ...conversation,
        respond: (...response) =>
          received.method === "POST"
            ? conversation.respond(status, body)
            : conversation.respond(...response),
      }),
    );
    const run = (...args: readonly string[]): ReturnType<typeof runOn> =>
      runOn(service, args, { home: home.folder });
    const result = await run("group", "create", "Customers");
    expect(result, result.stderr).toMatchObject({ exitCode: 9, violations: [] });
    expect(result.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(result.stderr).toMatch(/; found group Customers \(id \d+\), created /);
    await service.close();
    expect(tables.group).toHaveLength(1);
  });

  test("is not created again by the next apply", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, {
      instead: ({ method, body }, { respond, index }) => {
        if (method !== "POST") return false;
        tables.group = [...tables.group, { ...group, ...JSON.parse(body), id: index }];
        respond(202, envelope(null));
        return true;
      },
    });
    for (let times = 0; times < 2; times += 1) {
      const result = await apply({ groups: [{ name: "New", send_birthday: true }] });
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      expect(result.stderr).not.toMatch(/could not/i);
    }
    expect(tables.group).toHaveLength(1);
  });
});

test("a field that no response shows is not compared", async ({ home, expect }) => {
  const { birthday_message: _, ...shown } = group;
  const { script } = liveService({ stored: () => shown });
  const service = await startService(script);
  const args = ["group", "create", "Customers", "--send-birthday", "--birthday-message", "Hi"];
  const result = await runOn(service, args, { home: home.folder });
  await service.close();
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  expect(result.stderr).toContain(
    "Warning: the service does not show birthday_message: not compared",
  );
});

test("an update is done if a fetch after it shows what was sent", async ({ home, expect }) => {
  const { script } = liveService({ groups: [group] });
  const service = await startService((received, conversation) => {
    if (received.method !== "PUT") return script(received, conversation);
    // The response comes from a copy of the database that is not up to date.
    const { respond } = conversation;
    script(received, { ...conversation, respond: () => respond(200, envelope(group)) });
  });
  const result = await runOn(service, ["group", "rename", "12", "Renamed"], { home: home.folder });
  await service.close();
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  expect(result.stdout).toContain("Renamed");
});
