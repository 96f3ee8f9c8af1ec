import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { test, type Home } from "../support/home.ts";
import { liveService } from "./apply/apply-remote.ts";
import { now, runOn, runnerOf } from "./run-remote.ts";
import { group, page, senderId } from "./sample-responses.ts";
import { startService, type Conversation, type Received } from "./scripted-service.ts";

/** Answers a request instead of the service if it returns true. */
type Instead = (received: Received, conversation: Conversation) => boolean;

async function start(home: Home, instead: Instead, senderIds = [senderId]) {
  const { script, tables } = liveService({ senderIds, groups: [group], instead });
  const run = await runnerOf(home, script);
  return { tables, run };
}

const create = ["sender-id", "create", "ACME", "--purpose", "Order updates", "--if-not-exists"];
const busy = { status: false, message: "Too many requests", data: null };
const isFetch = ({ method, target }: Received): boolean =>
  method === "GET" && /^\/v1\/(?:sender-id|group)\/[^/?]+$/.test(target);

describe("a fetch that is refused for another reason than absence", () => {
  test.for([
    [400, 6],
    [402, 6],
    [406, 6],
    [408, 8],
    [423, 6],
  ] as const)(
    "creates nothing with --if-not-exists: %i",
    async ([status, exitCode], { home, expect }) => {
      const { run, tables } = await start(home, (received, { respond }) => {
        if (!isFetch(received)) return false;
        respond(status, busy);
        return true;
      });
      const ran = await run(...create);
      expect([exitCode, 6]).toContain(ran.exitCode);
      expect(ran.stderr).toContain("Too many requests");
      expect(tables["sender-id"]).toHaveLength(1);
    },
  );

  test.for([
    ["200 with status false", 200, busy],
    ["a page of a gateway", 404, "<html>Not Found</html>"],
    ["no body", 404, undefined],
  ] as const)(
    "is looked up in the list by --if-not-exists: %s",
    async ([, status, body], { home, expect }) => {
      const { run, tables } = await start(home, (received, { respond }) => {
        if (!isFetch(received)) return false;
        respond(status, body);
        return true;
      });
      const ran = await run(...create);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(ran.stdout).toContain("ACME");
      expect(tables["sender-id"]).toHaveLength(1);
      tables["sender-id"] = [];
      expect(await run(...create)).toMatchObject({ exitCode: 0 });
      expect(tables["sender-id"]).toHaveLength(1);
    },
  );
});

describe("a fetch that a gateway refuses with 404", () => {
  const page = "<html><title>Not Found</title></html>";
  const kinds = [
    ["sender-id", "ACME"],
    ["group", "12"],
    ["group", group.uuid],
  ] as const;

  test.for(kinds)("shows the record of the list: %s %s", async ([noun, key], { home, expect }) => {
    const { run, tables } = await start(home, (received, { respond }) => {
      if (isFetch(received)) respond(404, page);
      return isFetch(received);
    });
    const shown = await run(noun, "fetch", key, "--json");
    expect(shown, shown.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(JSON.parse(shown.stdout)).toMatchObject({ data: tables[noun][0] });
    tables[noun] = [];
    const absent = await run(noun, "fetch", key);
    expect(absent, absent.stderr).toMatchObject({ exitCode: 4, violations: [] });
  });

  test.for([
    [401, { status: false, message: "No", data: null }, 3],
    [503, page, 8],
    [404, page, 4],
  ] as const)("fails as its list does: %i", async ([status, body, exitCode], { home, expect }) => {
    const { run } = await start(home, (received, { respond }) => {
      if (isFetch(received)) respond(404, page);
      else respond(status, body);
      return true;
    });
    const ran = await run("sender-id", "fetch", "ACME", "--retries", "0");
    expect(ran, ran.stderr).toMatchObject({ exitCode, violations: [] });
    expect(ran.requests).toHaveLength(2);
  });

  test("is not looked up if the service itself refuses it", async ({ home, expect }) => {
    const { run } = await start(home, () => false);
    const ran = await run("sender-id", "fetch", "Other");
    expect(ran).toMatchObject({ exitCode: 4, requests: ["GET /v1/sender-id/Other"] });
  });
});

/** Refuses sender IDs with a dot in their name, or returns another one. */
function cutting(status: number, body: unknown): Instead {
  return ({ target }, { respond }) => {
    const isCut = /\/v1\/sender-id\/[^?]*\./.test(target);
    if (isCut) respond(status, body);
    return isCut;
  };
}

describe("a sender ID whose name has a dot, on a service that cuts paths at the last one", () => {
  const dotted = { ...senderId, name: "acme.shop" };
  const hint = 'the service cannot find "acme.shop" in a path';
  const absent = { status: false, message: "Not found", data: null };
  const cases = [
    [404, absent],
    [404, { message: "No route matches" }],
    [406, { message: "Not acceptable" }],
    [200, { status: true, message: "OK", data: { ...senderId, id: 8, name: "acme" } }],
  ] as const;

  test.for(cases)("is shown as in the list: %i %j", async ([status, body], { home, expect }) => {
    const { run } = await start(home, cutting(status, body), [dotted]);
    const shown = await run("sender-id", "fetch", "acme.shop");
    expect(shown, shown.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(shown.stdout).toContain("acme.shop");
    expect(shown.stderr).toContain(`Warning: ${hint}`);
  });

  test.for(cases)("is not deleted: %i %j", async ([status, body], { home, expect }) => {
    const { run, tables } = await start(home, cutting(status, body), [dotted]);
    const ran = await run("sender-id", "delete", "acme.shop", "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10, violations: [] });
    expect(ran.stderr).toContain(`\nhint: ${hint}`);
    expect(tables["sender-id"]).toHaveLength(1);
  });

  test("is not found if the list lacks it, too", async ({ home, expect }) => {
    const { run } = await start(home, cutting(404, absent), [senderId]);
    for (const args of [
      ["fetch", "acme.shop"],
      ["delete", "acme.shop", "--yes"],
    ]) {
      const ran = await run("sender-id", ...args);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 4, violations: [] });
      expect(ran.stderr).not.toContain(hint);
    }
  });
});

/** Loses the responses to the first delete, which is carried out or not, and refuses later fetches. */
const losing = (status: number, body: unknown): Instead => {
  let deletes = 0;
  return (received, { respond, hangUp }) => {
    if (received.method === "DELETE" && (deletes += 1) === 1) {
      hangUp();
      return true;
    }
    if (deletes === 0 || !isFetch(received)) return false;
    respond(status, body);
    return true;
  };
};

/** Knows no path with an encoded slash. */
const gateway: Instead = ({ target }, { respond }) => {
  if (!target.includes("%2F")) return false;
  respond(404, "<html><title>Not Found</title></html>");
  return true;
};

describe("a delete", () => {
  test.for([400, 402, 406, 423])(
    "that is lost is unknown if a fetch is refused with %i",
    async (status, { home, expect }) => {
      const { run } = await start(home, losing(status, busy));
      const ran = await run("sender-id", "delete", "ACME", "--yes");
      expect(ran, ran.stderr).toMatchObject({ exitCode: 9, violations: [] });
    },
  );

  test.for([
    [404, "<html>"],
    [200, busy],
  ] as const)(
    "that is lost is repeated while the list shows the record: %i",
    async ([status, body], { home, expect }) => {
      const { run, tables } = await start(home, losing(status, body));
      const ran = await run("group", "delete", "12", "--yes");
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(tables.group).toHaveLength(0);
    },
  );

  test("that is lost, and refused with 404 when repeated, is done even if the record is shown", async ({
    home,
    expect,
  }) => {
    let deletes = 0;
    const { run } = await start(home, (received, { respond, hangUp }) => {
      if (received.method !== "DELETE") return false;
      deletes += 1;
      if (deletes === 1) hangUp();
      else respond(404, { status: false, message: "Deleted", data: null });
      return true;
    });
    const ran = await run("group", "delete", "12", "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(ran.stderr).toContain("it still shows the record");
  });

  test("that is refused with 404 is not done while the list shows the record", async ({
    home,
    expect,
  }) => {
    const { run, tables } = await start(home, ({ method }, { respond }) => {
      if (method !== "DELETE") return false;
      respond(404, { status: false, message: "No route", data: null });
      return true;
    });
    for (const args of [
      ["group", "delete", "12", "--yes"],
      ["sender-id", "delete", "ACME", "--yes"],
    ]) {
      const ran = await run(...args);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 10, violations: [] });
      expect(ran.stderr).toContain("its list still shows the");
    }
    expect(tables.group).toHaveLength(1);
  });

  test.for([
    ["the list fails", 503, "<html>Down</html>", 8],
    ["the list needs another key", 401, { status: false, message: "No", data: null }, 3],
    ["nothing is found at all", 404, "<html>Not found</html>", 10],
  ] as const)(
    "whose fetch a gateway refuses with 404 is not absent if %s",
    async ([, status, body, exitCode], { home, expect }) => {
      const { run, tables } = await start(home, ({ method }, { respond }) => {
        if (method !== "GET") return false;
        respond(status, body);
        return true;
      });
      const { run: runWithList } = await start(home, (received, { respond }) => {
        if (received.method !== "GET") return false;
        if (isFetch(received)) respond(404, "<html>No route</html>");
        else respond(status, body);
        return true;
      });
      for (const args of [
        ["group", "delete", "12"],
        ["sender-id", "delete", "ACME"],
      ]) {
        const words = [...args, "--yes", "--retries", "0"];
        const ran = await runWithList(...words);
        expect(ran, ran.stderr).toMatchObject({ exitCode });
        expect(ran.stderr).not.toContain("does not exist");
      }
      const elsewhere = await run("group", "delete", "Customers", "--yes", "--retries", "0");
      expect(elsewhere.exitCode).not.toBe(0);
      expect(tables.group).toHaveLength(1);
    },
  );

  test.for(["DELETE", "GET"])(
    "shows the words of a refusal with HTTP 200 to its %s",
    async (refused, { home, expect }) => {
      const { run } = await start(home, (received, { respond }) => {
        const isRefused =
          received.method === refused && (refused === "DELETE" || isFetch(received));
        if (isRefused) respond(200, { status: false, message: "The group is in use", data: null });
        return isRefused;
      });
      const ran = await run("group", "delete", "12", "--yes");
      expect(ran, ran.stderr).toMatchObject({ exitCode: 6, violations: [] });
      expect(ran.stderr).toContain("The group is in use");
    },
  );

  test("of a path that a gateway does not know is not done", async ({ home, expect }) => {
    const slashed = { ...senderId, name: "A/B" };
    const { run, tables } = await start(home, gateway, [slashed]);
    const ran = await run("sender-id", "delete", "A/B", "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10, violations: [] });
    const created = await run("sender-id", "create", "A/B", "--purpose", "x", "--if-not-exists");
    expect(created).toMatchObject({ exitCode: 0 });
    expect(tables["sender-id"]).toHaveLength(1);
  });
});

describe("an update that was lost, and is refused when it is repeated", () => {
  const refusals = [
    [409, { status: false, message: "A group with this name exists", data: null }],
    [422, { status: false, message: "Nothing to update", data: null }],
    [200, { status: false, message: "Nothing to update", data: null }],
  ] as const;

  test.for(refusals)(
    "is done if the group shows it: %i",
    async ([status, body], { home, expect }) => {
      let isUpdated = false;
      const { run, tables } = await start(home, ({ method, body: sent }, { respond }) => {
        if (method !== "PUT") return false;
        if (isUpdated) respond(status, body);
        else respond(502, "<html>");
        isUpdated = true;
        tables.group = [{ ...group, ...JSON.parse(sent) }];
        return true;
      });
      const ran = await run("group", "rename", "12", "Renamed");
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(ran.stderr).toContain("no response confirmed the update, but the group shows it");
    },
  );

  test.for(refusals)("is unknown if it does not: %i", async ([status, body], { home, expect }) => {
    let puts = 0;
    const { run } = await start(home, ({ method }, { respond }) => {
      if (method !== "PUT") return false;
      puts += 1;
      if (puts > 1) respond(status, body);
      else respond(502, "<html>");
      return true;
    });
    expect(await run("group", "rename", "12", "Renamed")).toMatchObject({ exitCode: 9 });
  });
});

describe("a list whose records have no `name`", () => {
  const wrapped = { status: true, message: "Groups retrieved", data: page([{ group }]) };

  test.for([
    [["group", "create", group.name, "--if-not-exists"]],
    [["group", "delete", group.name, "--yes"]],
    [["group", "list"]],
  ] as const)("is not read as an absence: %j", async ([args], { home, expect }) => {
    const { run, tables } = await start(home, ({ method }, { respond }) => {
      if (method !== "GET") return false;
      respond(200, wrapped);
      return true;
    });
    const ran = await run(...args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    expect(ran.stderr).toContain("`name` of the record with id null is missing");
    expect(tables.group).toHaveLength(1);
  });
});

/** Starts a service whose list does not show the groups that are hidden. */
async function startLagging(home: Home) {
  const { script, tables, hidden } = liveService({ groups: [] });
  const service = await startService(script);
  onTestFinished(service.close);
  const clock = { now };
  const run = (...args: readonly string[]): ReturnType<typeof runOn> => {
    clock.now += 1;
    return runOn(service, args, { home: home.folder, clock });
  };
  return { run, tables, hidden };
}

test("a group that was just created is not created again while the list does not show it", async ({
  home,
  expect,
}) => {
  const { run, tables, hidden } = await startLagging(home);
  const ensure = (name = "VIP") => run("group", "create", name, "--if-not-exists");
  expect(await ensure()).toMatchObject({ exitCode: 0 });
  hidden.add(tables.group[0]!["id"]);
  expect((await ensure()).stderr).toContain("already exists");
  const [created] = tables.group;
  tables.group = [];
  const refused = await ensure();
  expect(refused).toMatchObject({ exitCode: 12 });
  expect(refused.stderr).toContain('does not yet show the group "VIP"');
  expect(await ensure("Other")).toMatchObject({ exitCode: 0 });
  tables.group = [created!];
  await run("group", "delete", String(created!["id"]), "--yes");
  expect(await ensure()).toMatchObject({ exitCode: 0 });
  expect(tables.group).toHaveLength(1);
});

describe("a record that the list shows, and whose fetch is refused with 404", () => {
  const none = { status: false, message: "Not found", data: null };
  const startHiding = (home: Home) =>
    start(home, (received, { respond }) => {
      if (!isFetch(received)) return false;
      respond(404, none);
      return true;
    });

  test("is not reported as deleted by apply --prune", async ({ home, expect }) => {
    const { run, tables } = await startHiding(home);
    const file = join(home.folder, "none.yaml");
    writeFileSync(file, "sender_ids: []\ngroups: []\n");
    const ran = await run("apply", file, "--prune", "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    expect(ran.stdout + ran.stderr).not.toMatch(/^Deleted/m);
    expect(ran.stderr).toContain("its list still shows the group");
    expect([tables.group.length, tables["sender-id"].length]).toStrictEqual([1, 1]);
  });

  test("is not created again by apply --replace", async ({ home, expect }) => {
    const { run, tables } = await startHiding(home);
    const file = join(home.folder, "other.yaml");
    writeFileSync(file, `sender_ids: [{ name: ${senderId.name}, purpose: Another }]\n`);
    const ran = await run("apply", file, "--replace", "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    expect(ran.stderr).not.toContain("created again");
    expect(tables["sender-id"]).toMatchObject([{ purpose: senderId.purpose }]);
  });

  test("is not reported as deleted by its name", async ({ home, expect }) => {
    const { run } = await startHiding(home);
    const ran = await run("group", "delete", group.name, "--yes");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  });
});

test("a list that lags hides neither from an apply that a group was created, nor that it was deleted", async ({
  home,
  expect,
}) => {
  const { run, tables, hidden } = await startLagging(home);
  const file = join(home.folder, "vip.yaml");
  writeFileSync(file, "groups: [{ name: VIP }]\n");
  const apply = () => run("apply", file, "--yes");

  await run("group", "create", "VIP");
  hidden.add(101);
  const undone = await run("undo", "--yes");
  expect(undone, undone.stderr).toMatchObject({ exitCode: 12 });
  expect(undone.stderr).toContain("may have contacts: the service does not show how many");
  const early = await apply();
  expect(early, early.stderr).toMatchObject({ exitCode: 0, stdout: "" });
  expect(early.stderr).toContain("Nothing to apply");
  await run("group", "create", "VIP");
  hidden.add(102);
  await run("group", "delete", "102", "--yes");
  // The first one of that name still exists.
  const ensured = await run("group", "create", "VIP", "--if-not-exists");
  expect(ensured.stderr).toContain("already exists");
  await run("group", "delete", "101", "--yes");
  expect(await apply()).toMatchObject({ exitCode: 0 });
  expect(tables.group).toHaveLength(1);
});
