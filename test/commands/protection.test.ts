import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { nouns } from "../../src/cli/registry.ts";
import { envelope, group, page, senderId } from "../client/sample-responses.ts";
import { startService, type ScriptedService } from "../client/scripted-service.ts";
import { writeConfig } from "../support/config-file.ts";
import { errorOf, test, type Home } from "../support/home.ts";

const manifest = "groups:\n  - name: Suppliers\n";
const replacing = "sender_ids:\n  - name: ACME\n    purpose: Another\n";

/** Every command that can change a service, and whether it deletes. */
const serviceCommands: Readonly<Record<string, readonly (readonly [string, boolean])[]>> = {
  "sender-id create": [["sender-id create X --purpose Y", false]],
  "sender-id delete": [
    ["sender-id delete ACME --yes", true],
    ["sender-id delete ACME ACME2 --yes", true],
  ],
  "group create": [["group create Suppliers", false]],
  "group update": [["group update Customers --send-holiday", false]],
  "group rename": [["group rename 12 Clients", false]],
  "group delete": [
    ["group delete 12 --yes", true],
    ["group delete Customers 13 --yes", true],
  ],
  api: [
    ['api POST /v1/group --body {"name":"x"}', false],
    ["api put /v1/group/12 --body {}", false],
    ["api DELETE /v1/group/12", true],
    ["api OPTIONS /v1/group", false],
  ],
  apply: [
    ["apply manifest.yaml --yes", false],
    ["apply manifest.yaml --prune --yes", true],
    ["apply replacing.yaml --replace --yes", true],
  ],
  undo: [["undo --yes", false]],
  probe: [
    ["probe --scratch-group --yes", true],
    ["probe --clean --yes", true],
  ],
};

/** Every command that changes the database even if a service is chosen, with what it may not change. */
const databaseCommands: Readonly<Record<string, string>> = {
  "local contact add": "local contact add 1 +447911123401",
  "local contact delete": "local contact delete 1 +447911123402 --yes",
  "local contact import": "local contact import 1 contacts.csv",
  "local integration create": "local integration create other",
  "local integration delete": "local integration delete staging --yes",
  "local key create": "local key create",
  "local key revoke": "local key revoke 1 --yes",
  "local reset": "local reset --yes",
  "local restore": "local restore backup.db --yes",
  "local review": "local review ACME --status APPROVED",
  "local seed": "local seed --groups 2",
  serve: "serve --port 0",
};

/** Returns the words of the commands that change the service or the database. */
async function commandsThatChange(scope: string): Promise<string[]> {
  const definitions = await Promise.all(nouns.map(({ load }) => load()));
  const changing = definitions.flat().flatMap((definition) => {
    return "run" in definition && definition.changes === scope ? definition.path : [];
  });
  return [...new Set(changing)].toSorted();
}

/** Starts a service with one group and one sender ID. */
async function listening(): Promise<ScriptedService> {
  const service = await startService(({ method, target }, { respond }) => {
    const isGroup = target.startsWith("/v1/group");
    const record = isGroup ? group : senderId;
    const isList = method === "GET" && /^\/v1\/[\w-]+(?:\?.*)?$/.test(target);
    respond(200, envelope(isList ? page([record]) : record));
  });
  onTestFinished(service.close);
  return service;
}

async function changesReceived({ received }: ScriptedService): Promise<string[]> {
  return received.filter(({ method }) => method !== "GET").map(({ method }) => method);
}

const key = "sk_of_a_protected_service";

/** A home with a profile for the service, protected or not. */
async function homeFor(home: Home, { baseUrl }: ScriptedService, level?: string): Promise<void> {
  await writeFile(join(home.folder, "manifest.yaml"), manifest);
  await writeFile(join(home.folder, "replacing.yaml"), replacing);
  await writeConfig(home, {
    current: "prod",
    profiles: { prod: { baseUrl, secretKey: key } },
    ...(level !== undefined && { protected: { [baseUrl]: { profile: "prod", level } } }),
  });
}

describe("a service", () => {
  test("every command that changes one is in these tests", async ({ expect }) => {
    expect(await commandsThatChange("service")).toEqual(Object.keys(serviceCommands).toSorted());
    expect(await commandsThatChange("database")).toEqual(Object.keys(databaseCommands).toSorted());
  });

  const lines = Object.values(serviceCommands).flat();
  const ways = [
    ["a read-only profile", "read-only", {}, [], "profile prod is read-only"],
    ["SENDCTL_READ_ONLY", undefined, { SENDCTL_READ_ONLY: "1" }, [], "SENDCTL_READ_ONLY forbids"],
    ["--read-only", undefined, {}, ["--read-only"], "--read-only forbids changes"],
  ] as const;
  for (const [way, level, env, options, message] of ways) {
    test(`with ${way}, gets no request of a command that would change it`, async ({
      home,
      expect,
    }) => {
      const service = await listening();
      await homeFor(home, service, level);
      for (const [line] of lines) {
        const ran = await home.run([...options, ...line.split(" "), "--json"], env);
        expect([line, ran.exitCode, errorOf(ran).kind]).toEqual([line, 2, "usage"]);
        expect(ran.stderr).toContain(message);
      }
      expect(service.received).toEqual([]);
      for (const line of [
        "group list",
        "diff manifest.yaml",
        "group create X --dry-run",
        "probe",
      ]) {
        const ran = await home.run([...options, ...line.split(" ")], env);
        expect([line, [0, 12].includes(ran.exitCode ?? -1)], ran.stderr).toEqual([line, true]);
      }
      expect(await changesReceived(service)).toEqual([]);
    });
  }

  test("that is protected loses nothing by --yes, but other changes go on", async ({
    home,
    expect,
  }) => {
    const service = await listening();
    await homeFor(home, service, "confirm");
    for (const [line] of lines.filter(([, deletes]) => deletes)) {
      const ran = await home.run([...line.split(" "), "--json"]);
      expect([line, ran.exitCode, errorOf(ran).kind]).toEqual([line, 2, "usage"]);
      expect(ran.stderr).toContain("hint: pass --confirm prod if ");
      const wrong = await home.run([...line.split(" "), "--confirm", "staging"]);
      expect([line, wrong.exitCode]).toEqual([line, 2]);
    }
    expect(await changesReceived(service)).toEqual([]);
    for (const [line] of lines.filter(([, deletes]) => deletes)) {
      await home.run([...line.split(" "), "--confirm", "prod"]);
    }
    expect(await changesReceived(service)).toContain("DELETE");
    await home.run(["group", "create", "Suppliers"]);
    expect(await changesReceived(service)).toContain("POST");
  });
});

/** Fills a database, the target of the profile dev, and returns its path. */
async function stocked(home: Home): Promise<string> {
  const database = join(home.folder, "here.db");
  await writeFile(join(home.folder, "contacts.csv"), "phone\n+447911123403\n");
  const profiles = { dev: { mode: "local", database } };
  await writeConfig(home, { current: "dev", profiles });
  for (const line of [
    "group create Customers",
    "sender-id create ACME --purpose Tests",
    "local contact add 1 +447911123402",
    "local integration create staging",
    "local key create",
    "local backup backup.db",
  ]) {
    await home.run(line.split(" "));
  }
  return database;
}

/** Returns all records of the database as JSON. */
async function contents(home: Home): Promise<string> {
  const lines = ["export", "local contact list 1", "local key list", "local integration list"];
  const ran = await Promise.all(lines.map((line) => home.run([...line.split(" "), "-o", "json"])));
  return ran.map(({ stdout }) => stdout).join("");
}

describe("a database", () => {
  test("that is read-only is not changed by any command, even if a service is chosen", async ({
    home,
    expect,
  }) => {
    await stocked(home);
    await home.run(["profile", "protect", "dev", "--read-only"]);
    const before = await contents(home);
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:9", SENDCTL_SECRET_KEY: key };
    for (const line of Object.values(databaseCommands)) {
      for (const variables of [{}, env]) {
        const ran = await home.run([...line.split(" "), "--json"], variables);
        expect([line, ran.exitCode, errorOf(ran).kind]).toEqual([line, 2, "usage"]);
      }
    }
    expect((await home.run(["group", "create", "X"])).exitCode).toBe(2);
    expect(await contents(home)).toBe(before);
    const lowered = await home.run(["profile", "protect", "dev"]);
    expect(lowered.stderr).toContain("deletes require the name dev, and it is no longer read-only");
  });

  test("that is protected is not deleted from by --yes, by any path to it", async ({
    home,
    expect,
  }) => {
    const database = await stocked(home);
    await home.run(["profile", "protect", "dev"]);
    const before = await contents(home);
    await mkdir(join(home.folder, "links"));
    await symlink(database, join(home.folder, "links", "link.db"));
    const paths = ["here.db", "./here.db", "links/link.db", database];
    const lines = Object.values(databaseCommands).filter((line) => line.includes("--yes"));
    for (const line of [...lines, "group delete 1 --yes", "probe --scratch-group --yes"]) {
      for (const path of paths) {
        const ran = await home.run([...line.split(" "), "--database", path]);
        expect([line, path, ran.exitCode]).toEqual([line, path, 2]);
      }
    }
    expect((await home.run(["undo", "--yes"])).exitCode).toBe(2);
    expect(await contents(home)).toBe(before);
    expect((await home.run(["undo", "--confirm", "dev"])).exitCode).toBe(0);
    await writeFile(join(home.folder, "none.yaml"), "groups: []\nsender_ids: []\n");
    await home.run(["group", "create", "Suppliers"]);
    for (const [confirmation, exitCode] of [
      ["--yes", 2],
      ["--confirm=prod", 2],
      ["--confirm=dev", 0],
    ] as const) {
      const ran = await home.run(["apply", "none.yaml", "--prune", confirmation]);
      expect([confirmation, ran.exitCode]).toEqual([confirmation, exitCode]);
    }
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("");
    expect((await home.run(["local", "reset", "--confirm", "dev"])).exitCode).toBe(0);
    expect(await contents(home)).not.toBe(before);
    await rm(database);
  });
});
