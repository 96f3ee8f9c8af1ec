import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe } from "vitest";
import { envelope, page } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { dataOf, runAtTerminal, test as base, time, uuid, type Home } from "../../support/home.ts";

type Fields = Record<string, unknown>;

/** What a tiny service lists, which tests change as somebody else would. */
interface Records {
  "sender-id": Fields[];
  group: Fields[];
}

const listed = (): Records => ({
  "sender-id": [
    { id: 1, name: "ACME", purpose: "Orders", status: "PENDING", created_at: time },
    { id: 2, name: "Old", purpose: "Alerts", status: "PENDING", created_at: time },
  ],
  group: [
    { id: 1, uuid, name: "Customers", ...settings, contacts_count: 3, created_at: time },
    { id: 2, uuid: "u2", name: "Gone", ...settings, contacts_count: 2, created_at: time },
    { id: 3, uuid: "u3", name: "Kept", ...settings, contacts_count: 0, created_at: time },
  ],
});
const settings = { send_birthday: false, send_holiday: false, birthday_message: "Hi" };

interface Service {
  readonly records: Records;
  readonly methods: string[];
  readonly client: Readonly<Record<string, string>>;
}

const key = "0123-4567_89ab.cdef";

/** Gives a test a service that lists records and refuses to change them. */
const test = base.extend<{ service: Service }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest derives the dependencies of a fixture from the pattern
  service: async ({}, use) => {
    const [records, methods] = [listed(), [] as string[]];
    const server = createServer((request, response) => {
      methods.push(request.method!);
      const data = records[request.url!.includes("sender-id") ? "sender-id" : "group"];
      const page = { current_page: 1, last_page: 1, per_page: 100, total: data.length };
      const isRead = request.method === "GET";
      response.writeHead(isRead ? 200 : 422, { "content-type": "application/json" });
      response.end(JSON.stringify({ status: isRead, message: "", data: { data, ...page } }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await use({
      records,
      methods,
      client: { SENDCTL_BASE_URL: url, SENDCTL_SECRET_KEY: key },
    });
    server.closeAllConnections();
    server.close();
  },
});

const manifest = `
sender_ids: [{name: ACME, purpose: New}]
groups:
  - {name: Customers, send_birthday: true}
  - {name: Kept}
  - {name: New}
`;

async function save(home: Home, env = {}, text = manifest): Promise<void> {
  await writeFile(join(home.folder, "m.yaml"), text);
  const saved = await home.run(
    ["diff", "m.yaml", "--prune", "--replace", "--save", "plan.json"],
    env,
  );
  if (saved.exitCode !== 12) throw new Error(saved.stderr);
}

const applyPlan = (home: Home, env = {}, ...further: string[]) =>
  home.run(["apply", "--plan", "plan.json", "--yes", ...further], env);

/** A change by somebody else, and what `apply --plan` says of it. */
type Change = readonly [title: string, change: (records: Records) => void, says: string];

const [customers, gone] = ["group Customers (id 1): ", "group Gone (id 2): "];
const changes: readonly Change[] = [
  ...Object.entries({
    send_holiday: true,
    birthday_message: "Hello",
    uuid: "u9",
    created_at: "2027-01-01T00:00:00.000000Z",
  }).flatMap(([field, value]): Change[] => [
    [`${field} of an updated group`, ({ group }) => (group[0]![field] = value), customers + field],
    [`${field} of a deleted group`, ({ group }) => (group[1]![field] = value), gone + field],
  ]),
  [
    "a value that the plan would change, to the wanted one",
    ({ group }) => (group[0]!["send_birthday"] = true),
    `${customers}to update in the plan, nothing to do now`,
  ],
  ["the id of an updated group", ({ group }) => (group[0]!["id"] = 9), 'id was "1" in the plan'],
  [
    "the name of an updated group",
    ({ group }) => (group[0]!["name"] = "Clients"),
    `${customers}to update in the plan, to create now`,
  ],
  [
    "the name of a deleted group",
    ({ group }) => (group[1]!["name"] = "Back"),
    `${gone}name was "Gone" in the plan, is "Back" now`,
  ],
  [
    "a deleted group is gone",
    ({ group }) => void group.splice(1, 1),
    `${gone}to delete in the plan, nothing to do now`,
  ],
  [
    "the name of an unchanged group, with --prune",
    ({ group }) => (group[2]!["name"] = "Other"),
    "group Other (id 3): nothing to do in the plan, to delete now",
  ],
  [
    "a new group, with --prune",
    ({ group }) => void group.push({ ...group[2], id: 4, uuid: "u4", name: "Fresh" }),
    "group Fresh (id 4): nothing to do in the plan, to delete now",
  ],
  [
    "a created group exists",
    ({ group }) => void group.push({ ...group[2], id: 4, uuid: "u4", name: "New" }),
    "group New: to create in the plan, nothing to do now",
  ],
  [
    "a second group of that name",
    ({ group }) => void group.push({ ...group[0], id: 4, uuid: "u4" }),
    '2 groups are named "Customers"',
  ],
  [
    "the purpose of a replaced sender ID",
    (records) => (records["sender-id"][0]!["purpose"] = "Other"),
    'sender ID ACME: purpose was "Orders" in the plan, is "Other" now',
  ],
  [
    "the id of a replaced sender ID",
    (records) => (records["sender-id"][0]!["id"] = 7),
    'id was "1" in the plan',
  ],
  [
    "the purpose of a deleted sender ID",
    (records) => (records["sender-id"][1]!["purpose"] = "Other"),
    'sender ID Old: purpose was "Alerts" in the plan',
  ],
];

/** A manifest with one group. */
const record = (fields: string): string => `{"manifest":{"groups":[{${fields}}]}}`;

/** Returns the fields of a JSON object; undefined for other values, and those that nothing should parse. */
function readable(text: string): object | undefined {
  return text.startsWith("{") && text.length < 1000 ? (JSON.parse(text) as object) : undefined;
}

describe("diff --save", () => {
  test("prints how to apply it, also a file whose name begins with a dash", async ({
    home,
    expect,
  }) => {
    await writeFile(join(home.folder, "m.yaml"), "groups: [{name: A}]");
    const saved = await home.run(["diff", "m.yaml", "--save=-plan.json"]);
    const command = /to apply it: sendctl (.*)$/m.exec(saved.stderr)![1]!;
    expect(command).toBe("apply --plan=-plan.json");
    const applied = await home.run([...command.split(" "), "--yes"]);
    expect(applied).toMatchObject({ exitCode: 0 });
  });

  test("does not replace a file that another program creates meanwhile", async ({
    home,
    expect,
  }) => {
    const plan = join(home.folder, "plan.json");
    const service = await startService((_, { respond }) => {
      writeFileSync(plan, "theirs");
      respond(200, envelope(page([])));
    });
    await writeFile(join(home.folder, "m.yaml"), manifest);
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const saved = await home.run(["diff", "m.yaml", "--save", "plan.json"], env);
    await service.close();
    expect(saved.exitCode).toBe(2);
    expect(await readFile(plan, "utf8")).toBe("theirs");
  });
});

describe("apply --plan", () => {
  test.for(changes)(
    "is refused after a change: %s",
    async ([, change, says], { home, service, expect }) => {
      await save(home, service.client);
      change(service.records);
      const refused = await applyPlan(home, service.client);
      expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toStrictEqual({
        exitCode: 12,
        stdout: "",
      });
      expect(refused.stderr).toContain(says);
      const json = await applyPlan(home, service.client, "--json");
      expect(JSON.parse(json.stdout)).toMatchObject({ error: { kind: "differences" } });
      expect(new Set(service.methods)).toStrictEqual(new Set(["GET"]));
    },
  );

  test("is refused after a change of one of two groups with a name", async ({
    home,
    service,
    expect,
  }) => {
    const { group } = service.records;
    group[1]!["name"] = "Customers";
    const text =
      "groups: [{id: 1, name: Customers, send_birthday: true}, {id: 2, name: Customers, send_birthday: true}]";
    await save(home, service.client, text);
    for (const one of [group[0]!, group[1]!]) {
      one["send_holiday"] = true;
      const { exitCode, stdout } = await applyPlan(home, service.client, "-o", "markdown");
      expect(exitCode).toBe(12);
      expect(stdout).toMatch(/^the records have changed [^<]*\n\n- <code>.*<\/code>\n$/);
      one["send_holiday"] = false;
    }
    expect(new Set(service.methods)).toStrictEqual(new Set(["GET"]));
  });

  test("is not refused after contacts, statuses and untouched records change", async ({
    home,
    service,
    expect,
  }) => {
    await save(home, service.client);
    const { "sender-id": senderIds, group } = service.records;
    for (const record of senderIds) record["status"] = "APPROVED";
    for (const record of group) record["contacts_count"] = 7;
    Object.assign(group[2]!, { send_holiday: true, birthday_message: "Hello" });
    expect((await applyPlan(home, service.client, "--dry-run")).exitCode).toBe(0);
    await applyPlan(home, service.client);
    expect(service.methods).toContain("POST");
  });

  test("carries out the plan with its options, and a second time nothing", async ({
    home,
    expect,
  }) => {
    await writeFile(join(home.folder, "m.yaml"), "groups: [{name: A}, {name: Old}]");
    await home.run(["apply", "m.yaml", "--yes"]);
    const text = "groups: [{name: A, birthday_message: 'Hi ${MANIFEST_NAME}'}, {name: B}]";
    await save(home, { MANIFEST_NAME: "Ada" }, text);
    // The plan has the manifest and the values of its variables.
    await writeFile(join(home.folder, "m.yaml"), "groups: []");
    const asked = await runAtTerminal(home, ["apply", "--plan", "plan.json"], {
      columns: 400,
      keys: [[`to the database ${home.database}, deleting group Old (id 2)?`, "y\r"]],
    });
    expect(asked).toMatchObject({ exitCode: 0, keysLeft: 0 });
    const groups = await home.run(["group", "list", "--sort", "name", "--json"]);
    expect(dataOf(groups)).toMatchObject({
      data: [{ name: "A", birthday_message: "Hi Ada" }, { name: "B" }],
    });
    expect((await applyPlan(home)).exitCode).toBe(12);
  });

  test("needs the name of a protected profile, also if it deletes nothing", async ({
    home,
    service,
    expect,
  }) => {
    const baseUrl = service.client["SENDCTL_BASE_URL"];
    const profiles = { prod: { baseUrl, secretKey: key } };
    await writeConfig(home, { current: "prod", profiles });
    await home.run(["profile", "protect", "prod"]);
    await writeFile(join(home.folder, "m.yaml"), "groups: [{name: New}]");
    expect((await home.run(["diff", "m.yaml", "--save", "plan.json"])).exitCode).toBe(12);
    const refused = await applyPlan(home);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("hint: pass --confirm prod if ");
    const keys = [["Apply this change to ", "yes\r"]] as const;
    const asked = await runAtTerminal(home, ["apply", "--plan", "plan.json"], { keys });
    expect(asked).toMatchObject({ exitCode: 130, keysLeft: 0 });
    expect(new Set(service.methods)).toStrictEqual(new Set(["GET"]));
    await applyPlan(home, {}, "--confirm", "prod");
    expect(service.methods).toContain("POST");
  });

  test("refuses files and options that the plan has already", async ({ home, expect }) => {
    await save(home);
    for (const given of [
      ["m.yaml"],
      ["-f", "m.yaml"],
      ["--prune"],
      ["--replace"],
      ["--resend-sender-id"],
      ["--env-prefix", "X_"],
    ]) {
      const refused = await applyPlan(home, {}, ...given);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toMatch(
        /^sendctl: (?:--plan conflicts with FILE|.*cannot be used with)/,
      );
    }
    expect(existsSync(home.database)).toBe(false);
  });

  test("refuses another shape with a right checksum, before anything is sent", async ({
    home,
    service,
    expect,
  }) => {
    await save(home, service.client);
    const file = join(home.folder, "plan.json");
    const text = await readFile(file, "utf8");
    const content = text.slice(text.indexOf("\n") + 1);
    const plan = JSON.parse(content) as { readonly manifest: object; readonly steps: object[] };
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const changed of [
      "null",
      "[]",
      nested,
      '{"steps":null}',
      '{"steps":{}}',
      '{"steps":[null]}',
      '{"steps":[{"key":1}]}',
      `{"steps":[{"key":"","title":"","values":{"a":${nested}}}]}`,
      '{"manifest":null}',
      '{"manifest":{"groups":{}}}',
      '{"options":{"prune":"yes"}}',
      '{"manifest":{"senderIds":[{"name":"..","purpose":"x"}]}}',
      record('"name":1'),
      record('"name":"x","birthday_message":{"a":1}'),
      record('"name":"x","id":"../1"'),
      record('"name":"x","constructor":"y"'),
    ]) {
      const given = readable(changed);
      const whole = given === undefined ? changed : JSON.stringify({ ...plan, ...given });
      const sum = createHash("sha256").update(whole).digest("hex");
      await writeFile(file, `{"sendctl_plan":1,"sha256":"${sum}"}\n${whole}`);
      const refused = await applyPlan(home, service.client);
      expect({ changed: changed.slice(0, 80), ...refused }).toMatchObject({
        exitCode: 2,
        stdout: "",
      });
      expect(refused.stderr).toContain("has another shape than a plan");
    }
  });

  test("refuses a damaged plan, and one of another target or version", async ({
    home,
    service,
    expect,
  }) => {
    await save(home, service.client);
    const file = join(home.folder, "plan.json");
    const text = await readFile(file, "utf8");
    for (const [content, says] of [
      [text.replace('"New"', '"Newer"'), "is damaged or was edited"],
      [text.slice(0, -3), "is damaged or was edited"],
      [text.replace("\n", "\r\n"), "is damaged or was edited"],
      [text.replace('"sendctl_plan":1', '"sendctl_plan":2'), "is a plan of another version"],
      ['{"groups": []}', "is not a plan of sendctl"],
      ["", "is not a plan of sendctl"],
    ] as const) {
      await writeFile(file, content);
      const refused = await applyPlan(home, service.client);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(says);
    }
    await writeFile(file, text);
    const elsewhere = await applyPlan(home);
    expect(elsewhere.exitCode).toBe(2);
    expect(elsewhere.stderr).toContain(`is a plan for ${service.client["SENDCTL_BASE_URL"]}, not`);
    const sameUrl = {
      ...service.client,
      SENDCTL_BASE_URL: `${service.client["SENDCTL_BASE_URL"]}/`,
    };
    expect((await applyPlan(home, sameUrl, "--dry-run")).exitCode).toBe(0);
    for (const encoding of ["utf8", "utf16le"] as const) {
      await writeFile(file, `\ufeff${text}`, encoding);
      expect((await applyPlan(home, sameUrl, "--dry-run")).exitCode).toBe(0);
    }
  });
});

describe("diff --save", () => {
  test("writes a file for its owner alone, and replaces only a plan", async ({ home, expect }) => {
    await save(home);
    const file = join(home.folder, "plan.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    await save(home, {}, "groups: [{name: Only}]");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain('"Only"');
    await symlink("plan.json", join(home.folder, "link"));
    await writeFile(join(home.folder, "empty"), "");
    for (const name of ["m.yaml", "link", "empty", ".", "missing/plan.json", ""]) {
      const refused = await home.run(["diff", "m.yaml", "--save", name]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toMatch(/^sendctl: --save .*\nhint: /);
    }
    expect(await readFile(join(home.folder, "m.yaml"), "utf8")).toContain("Only");
  });

  test("refuses to write the key, as it is or escaped", async ({ home, service, expect }) => {
    const file = join(home.folder, "plan.json");
    for (const name of [`My ${key}`, key.replace("a", "%61"), key.replace("a", "\\\\u0061")]) {
      await writeFile(join(home.folder, "m.yaml"), `groups: [{name: "${name}"}]`);
      const refused = await home.run(["diff", "m.yaml", "--save", "plan.json"], service.client);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain("the plan contains the secret key, so it was not saved");
      expect(existsSync(file)).toBe(false);
      const { stdout } = await home.run(["diff", "m.yaml", "-o", "markdown"], service.client);
      expect(stdout).toContain("hidden");
      expect(stdout).not.toContain("4567");
    }
    service.records.group[0]!["birthday_message"] = `Key: ${key}`;
    await expect(save(home, service.client)).rejects.toThrow("the plan contains the secret key");
    expect(existsSync(file)).toBe(false);
  });
});
