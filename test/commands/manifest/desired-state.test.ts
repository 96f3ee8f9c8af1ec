import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import {
  contentsOf,
  dataOf,
  errorOf,
  normalised,
  runAtTerminal,
  test,
  uuid,
  type Home,
} from "../../support/home.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";

const manifest = `sender_ids:
  - name: ACME
    purpose: Order updates
groups:
  - name: Customers
    send_birthday: true
    birthday_message: Happy birthday, {first_name}!
    sender_id: ACME
  - name: Friends
    send_holiday: false
`;

async function write(home: Home, text: string, name = "sendctl.yaml"): Promise<void> {
  await writeFile(join(home.folder, name), text);
}

const notCompared = " · 1 sender ID not compared (the service never shows it)";

const apply = (home: Home, ...further: readonly string[]) =>
  home.run(["apply", "-f", "sendctl.yaml", "--yes", ...further]);

const diff = (home: Home, ...further: readonly string[]) =>
  home.run(["diff", "-f", "sendctl.yaml", ...further]);

const senderId = async (home: Home) =>
  dataOf(await home.run(["sender-id", "fetch", "ACME", "--json"]));

/** Returns the line that names the target. */
function header(home: Home): string {
  return `→ the database ${home.database}\n`;
}

async function applied(home: Home, text: string): Promise<void> {
  await write(home, text, "before.yaml");
  await home.run(["apply", "-f", "before.yaml", "--yes"]);
}

/** Returns the sender ID of each group from the database, because responses never include it. */
function sendersOf(home: Home): unknown {
  const database = connect(home.database, { readonly: true });
  const rows = database
    .prepare(
      `SELECT contact_group.name, sender_id.name AS sender FROM contact_group
       LEFT JOIN sender_id ON sender_id.id = contact_group.sender_id ORDER BY contact_group.id`,
    )
    .raw()
    .all();
  database.close();
  return Object.fromEntries(rows as [string, string | null][]);
}

describe("diff", () => {
  test("shows the plan and changes nothing", async ({ home, expect }) => {
    await write(home, manifest);
    const shown = {
      exitCode: 12,
      stdout: [
        "+ sender ID ACME",
        '    purpose  "Order updates"',
        "+ group Customers",
        "    send_birthday     true",
        '    birthday_message  "Happy birthday, {first_name}!"',
        '    sender_id         "ACME"',
        "+ group Friends",
        "    send_holiday  false",
        "",
      ].join("\n"),
      stderr: `${header(home)}3 differences · 3 to create\n`,
    };
    expect(await diff(home)).toStrictEqual(shown);
    expect(await diff(home)).toStrictEqual(shown);
  });

  test("compares field by field and reports what it cannot compare", async ({ home, expect }) => {
    await applied(home, manifest);
    await write(home, manifest.replace("birthday: true", "birthday: false"));
    expect(await diff(home)).toStrictEqual({
      exitCode: 12,
      stdout: [
        "~ group Customers (id 1)",
        "    send_birthday  true → false",
        '    sender_id      "ACME" (cannot be compared; sent with every update)',
        "",
      ].join("\n"),
      stderr: `${header(home)}1 difference · 1 to update, 2 unchanged\n`,
    });
    await write(home, manifest);
    expect(await diff(home)).toStrictEqual({
      exitCode: 0,
      stdout: "",
      stderr: `${header(home)}No differences · 3 unchanged${notCompared}\n`,
    });
    const json = await diff(home, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ message: `No differences${notCompared}` });
    expect(dataOf(json)).toMatchObject({ summary: { not_compared: 1 } });
    for (const format of ["jsonl", "yaml", "markdown"]) {
      const { stdout, stderr } = await diff(home, "-o", format);
      expect(`${stdout}${stderr}`).toContain(notCompared);
    }
    expect((await diff(home, "-o", "markdown")).stdout).toContain(notCompared);
    await write(home, "groups: [{name: Customers, sender_id: null}, {name: Friends}]");
    expect((await diff(home)).stderr).toContain(`2 unchanged${notCompared}`);
    await write(home, "groups: [{name: Friends}]");
    expect((await diff(home)).stderr).toContain("No differences · 1 unchanged · 1 group not in");
  });

  test("prints the plan as data with --json and -o jsonl", async ({ home, expect }) => {
    await applied(home, "groups: [{name: Friends}, {name: Old}]");
    await write(home, "groups: [{name: Friends, send_birthday: true}]");
    const json = await diff(home, "--prune", "--json", "-q");
    const place = { file: "sendctl.yaml", line: 1, column: 10 };
    const changes = [{ field: "send_birthday", from: false, to: true }];
    const group = { kind: "group", uuid };
    const update = { ...group, action: "update", name: "Friends", id: 1, changes, place };
    const deletion = {
      ...group,
      action: "delete",
      name: "Old",
      id: 2,
      contacts_count: 0,
      changes: [],
    };
    expect(json).toMatchObject({ exitCode: 12, stderr: "" });
    expect(dataOf(normalised(json))).toStrictEqual({
      summary: {
        created: 0,
        updated: 1,
        replaced: 0,
        deleted: 1,
        unchanged: 0,
        not_managed: { sender_ids: 0, groups: 0 },
        not_compared: 0,
      },
      must_be_replaced: 0,
      not_compared: 0,
      steps: [update, deletion],
    });
    const { stdout } = normalised(await diff(home, "--prune", "-o", "jsonl"));
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual([update, deletion]);
  });

  test("rejects output formats that cannot show a plan", async ({ home, expect }) => {
    await write(home, manifest);
    for (const format of ["csv", "id"]) {
      for (const command of ["diff", "apply"]) {
        const refused = await home.run([command, "-f", "sendctl.yaml", "-o", format]);
        expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
        expect(refused.stderr).toContain(`a plan cannot be printed as ${format}`);
      }
    }
  });
});

describe("apply --dry-run", () => {
  test("prints what diff prints, changes nothing and exits 0", async ({ home, expect }) => {
    await applied(home, "groups: [{name: Friends}, {name: Old}]");
    await write(home, manifest);
    const before = contentsOf(home.database);
    for (const format of ["table", "json", "jsonl", "yaml", "markdown"]) {
      const args = ["sendctl.yaml", "--prune", "--output", format];
      const plan = await home.run(["apply", ...args, "--dry-run"]);
      expect(plan).toStrictEqual({ ...(await home.run(["diff", ...args])), exitCode: 0 });
      expect(plan.stdout).toContain("Customers");
    }
    expect(contentsOf(home.database)).toStrictEqual(before);
  });

  test("plans a manifest from standard input", async ({ home, expect }) => {
    const plan = await home.run(["apply", "-", "--dry-run"], {}, manifest);
    expect(plan.exitCode).toBe(0);
    expect(plan.stdout).toContain("+ group Customers");
    expect(existsSync(home.database)).toBe(false);
  });

  test("is rejected by diff and export, which change nothing", async ({ home, expect }) => {
    await write(home, manifest);
    for (const args of [["diff", "sendctl.yaml"], ["export"]]) {
      const refused = await home.run([...args, "--dry-run", "--json"]);
      expect(refused.exitCode).toBe(2);
      expect(errorOf(refused).kind).toBe("usage");
    }
  });
});

describe("apply", () => {
  test("accepts files as arguments and with -f together", async ({ home, expect }) => {
    await write(home, "groups: [{name: A}]", "a.yaml");
    await write(home, "groups: [{name: B}]", "b.yaml");
    await write(home, "groups: [{name: C}]", "c.yaml");
    const args = ["apply", "a.yaml", "b.yaml", "-f", "c.yaml", "--yes", "--json"];
    expect(dataOf(await home.run(args))).toMatchObject({ applied: 3 });
    expect((await home.run(["diff", "b.yaml", "-f", "a.yaml"])).exitCode).toBe(0);
  });

  test("counts changed and unchanged records", async ({ home, expect }) => {
    await applied(home, "groups: [{name: Same}, {name: Other}, {name: Old}]");
    const wanted =
      "groups: [{name: Same}, {name: Other, send_holiday: true}, {name: New}, {name: Newer}]";
    await write(home, wanted);
    const args = ["apply", "sendctl.yaml", "--prune", "--yes", "--json"];
    expect(dataOf(await home.run(args))).toMatchObject({
      summary: { created: 2, updated: 1, replaced: 0, deleted: 1, unchanged: 1 },
    });
  });

  test("carries out the plan, and has nothing to do the second time", async ({ home, expect }) => {
    await write(home, manifest);
    const first = await apply(home);
    expect(first.exitCode).toBe(0);
    expect(first.stdout.split("\n").toSorted()).toStrictEqual([
      "",
      "Created group Customers (id 1)",
      "Created group Friends (id 2)",
      "Created sender ID ACME",
    ]);
    expect(first.stderr).toMatch(/3 to create\nApplied 3 of 3 · 3 created\n$/);
    expect(sendersOf(home)).toStrictEqual({ Customers: "ACME", Friends: null });
    const second = await apply(home);
    expect(second).toMatchObject({ exitCode: 0, stdout: "" });
    expect(second.stderr).toMatch(
      /^→ .*\n3 unchanged · 1 sender ID not compared \(.*\)\nNothing to apply\n$/,
    );
  });

  test("combines standard input, folders and several files", async ({ home, expect }) => {
    await mkdir(join(home.folder, "parts"));
    await write(home, "sender_ids: [{name: ACME, purpose: Orders}]", "parts/senders.json");
    await write(home, "groups: [{name: A, sender_id: ACME}]", "parts/a.yml");
    const { exitCode, stdout } = await home.shell(
      "echo 'groups: [{name: B, sender_id: ACME}]' | sendctl apply -f parts -f - -y -o jsonl",
    );
    expect(exitCode).toBe(0);
    const done = stdout.trim().split("\n");
    const created = { action: "create", kind: "group", name: "B", outcome: "done" };
    expect(done.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ ...created, id: expect.any(Number) as number }),
    );
    expect(done).toHaveLength(3);
  });

  test("replaces a sender ID only with --replace, and shows what is lost", async ({
    home,
    expect,
  }) => {
    await applied(home, manifest);
    await write(home, manifest.replace("Order updates", "Orders"));
    const without = await apply(home);
    expect(without).toMatchObject({ exitCode: 12, stdout: "" });
    expect(without.stderr).toContain("± sender ID ACME needs --replace\n");
    expect(without.stderr).toContain('"Order updates" → "Orders"');
    expect(without.stderr).toContain(
      "warning  Its approval status is reset, and the groups that use it lose their sender ID, except for those in the manifest. " +
        "Some services never free a name, and refuse to create it again. Current status: PENDING.\n",
    );
    expect(without.stderr).toContain(
      "sendctl: Not changed: sender ID ACME must be replaced\nhint: pass --replace\n",
    );
    expect(await senderId(home)).toMatchObject({ id: 1, purpose: "Order updates" });
    const replaced = await apply(home, "--replace");
    expect(replaced).toMatchObject({
      exitCode: 0,
      stdout: "Replaced sender ID ACME\nUpdated group Customers (id 1)\n",
    });
    expect(sendersOf(home)).toStrictEqual({ Customers: "ACME", Friends: null });
    expect(await senderId(home)).toMatchObject({ id: 2, purpose: "Orders" });
  });

  test("does not delete a sender ID whose new purpose would be rejected", async ({
    home,
    expect,
  }) => {
    await applied(home, manifest);
    await write(home, manifest.replace("Order updates", '""'));
    const refused = await apply(home, "--replace");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("sendctl.yaml:3:14: purpose must have 1 to 1000 characters");
    expect(await senderId(home)).toMatchObject({ purpose: "Order updates" });
  });

  test("finds groups by uuid, by id and by name", async ({ home, expect }) => {
    const created = await home.run(["group", "create", "First", "--json"]);
    const first = dataOf(created) as { uuid: string };
    await home.run(["group", "create", "Second"]);
    await write(
      home,
      `groups: [{uuid: ${first.uuid.toUpperCase()}, name: Second}, {id: 2, name: First}]`,
    );
    const { exitCode, stdout } = await apply(home);
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").toSorted()).toStrictEqual([
      "",
      "Updated group First (id 2)",
      "Updated group Second (id 1)",
    ]);
    expect((await diff(home)).exitCode).toBe(0);
  });

  test("lists the candidates if a name is ambiguous", async ({ home, expect }) => {
    await home.run(["group", "create", "Twins"]);
    await home.run(["group", "create", "Twins"]);
    await write(home, "groups:\n  - name: New\n  - name: Twins\n");
    const refused = normalised(await apply(home));
    expect(refused).toStrictEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        `${header(home)}sendctl: the manifest conflicts with what exists on the service (1 error); nothing was sent\n` +
        'sendctl.yaml:3:5: 2 groups are named "Twins"; add the uuid or id of one: ' +
        `id 2 (uuid ${uuid}), id 1 (uuid ${uuid})\n`,
    });
    expect(dataOf(await home.run(["group", "list", "--json"]))).toMatchObject({ total: 2 });
  });

  test("rejects keys of unknown groups and unknown sender IDs", async ({ home, expect }) => {
    await home.run(["group", "create", "First"]);
    await home.run(["group", "create", "Second"]);
    const { uuid: own } = dataOf(await home.run(["group", "fetch", "1", "--json"])) as {
      uuid: string;
    };
    await write(
      home,
      `groups:
  - {id: 7, name: A}
  - {id: 2, uuid: ${own}, name: B}
  - {name: C, sender_id: NEWS}
`,
    );
    const { exitCode, stderr } = await diff(home);
    expect(exitCode).toBe(2);
    expect(stderr.replace(own, "UUID").split("\n")).toStrictEqual([
      header(home).trimEnd(),
      "sendctl: the manifest conflicts with what exists on the service (3 errors); nothing was sent",
      "sendctl.yaml:2:5: no group has id 7; the service assigns ids and uuids, so omit them for a new group",
      "sendctl.yaml:3:5: id 2 and uuid UUID belong to different groups",
      'sendctl.yaml:4:26: unknown sender ID "NEWS"; add it to sender_ids, or use an existing name or id',
      "",
    ]);
  });

  test("sends a sender ID again with --resend-sender-id", async ({ home, expect }) => {
    await applied(home, manifest);
    await home.run(["group", "update", "1", "--clear-sender-id"]);
    await write(home, manifest);
    await apply(home);
    expect(sendersOf(home)).toStrictEqual({ Customers: null, Friends: null });
    const sent = await apply(home, "--resend-sender-id");
    expect(sent).toMatchObject({ exitCode: 0, stdout: "Updated group Customers (id 1)\n" });
    expect(sendersOf(home)).toStrictEqual({ Customers: "ACME", Friends: null });
  });

  test("colours the plan if stderr is a terminal", async ({ home, expect }) => {
    await write(home, manifest);
    const args = ["apply", "-f", "sendctl.yaml", "--yes"];
    const logged = await runAtTerminal(home, args, { stderrIsTerminal: false });
    expect(logged.stderr).toContain("+ sender ID ACME\n");
    await write(home, manifest.replace("Customers", "Others"));
    const watched = await runAtTerminal(home, args, { stdoutIsTerminal: false });
    expect(watched.stderr).toContain("\u001b[32m+ group Others\u001b[39m\n");
  });

  test("ends on a signal and reports what was done", async ({ home, expect }) => {
    const groups = Array.from({ length: 3000 }, (_, index) => ({ name: `Group ${index}` }));
    await write(home, JSON.stringify({ groups }));
    const running = home.start(["apply", "-f", "sendctl.yaml", "--yes", "-o", "jsonl"]);
    running.stdout.once("data", () => running.kill("SIGTERM"));
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode).toBe(143);
    const outcomes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    expect(outcomes).toHaveLength(3000);
    const total = outcomes.filter((outcome) => outcome === "done").length;
    expect(total).toBeLessThan(3000);
    expect(stderr).toContain(`Applied ${total} of 3000`);
    const list = await home.run(["group", "list", "--json"]);
    expect(dataOf(list)).toMatchObject({ total });
  });

  test("reports manifest diagnostics as data with --json", async ({ home, expect }) => {
    await write(home, "groups:\n  - nam: x\n");
    const { exitCode, stdout } = await home.run(["apply", "-f", "sendctl.yaml", "-y", "--json"]);
    expect(exitCode).toBe(2);
    const place = expect.objectContaining({ line: 2, column: 5 }) as unknown;
    expect(JSON.parse(stdout)).toMatchObject({
      status: false,
      data: null,
      error: { kind: "usage", diagnostics: expect.arrayContaining([place]) as unknown },
    });
  });
});

test("diagnostics are sorted by file and line", async ({ home, expect }) => {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
  for (const [file, text] of [
    ["b.yaml", "groups:\n  - name: Bath\n    sender_id: Two\n"],
    ["a.yaml", "groups:\n  - name: York\n    sender_id: One\n  - name: Kent\n    sender_id: Six\n"],
  ] as const) {
    await writeFile(join(home.folder, file), text);
  }
  const { stderr } = await home.run(["diff", "b.yaml", "a.yaml"]);
  expect(stderr.match(/^\w\.yaml:\d+:\d+/gm)).toStrictEqual([
    "a.yaml:3:16",
    "a.yaml:5:16",
    "b.yaml:3:16",
  ]);
});

test("diagnostics over the limit are only counted", async ({ home, expect }) => {
  await write(home, `groups:\n${"  - nam: x\n".repeat(300)}`);
  const { stderr } = await diff(home);
  expect(stderr).toMatch(
    /^sendctl: the manifest is invalid \(over 100 errors\); .*[\s\S]* and 200 more\n$/,
  );
});

describe("--prune", () => {
  const three =
    "sender_ids: [{name: OLD, purpose: x}]\ngroups: [{name: A}, {name: B}, {name: C}]\n";

  test("deletes records missing from the manifest, for each section it has", async ({
    home,
    expect,
  }) => {
    await applied(home, three);
    await write(home, "groups: [{name: B}]");
    const without = await apply(home);
    expect(without.stderr).toContain("1 unchanged · 2 groups not in the manifest, left alone\n");
    const pruned = await apply(home, "--prune");
    expect(pruned).toMatchObject({
      exitCode: 0,
      stdout: "Deleted group C (id 3)\nDeleted group A (id 1)\n",
    });
    expect((await home.run(["sender-id", "list", "-o", "id"])).stdout).toBe("OLD\n");
    await write(home, "sender_ids: []\ngroups: []");
    await apply(home, "--prune");
    expect((await home.run(["sender-id", "list", "-o", "id"])).stdout).toBe("");
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("");
  });

  test("refuses to delete more than --max-deletes", async ({ home, expect }) => {
    await applied(home, three);
    await write(home, "groups: []");
    const limited = (max: string) => apply(home, "--prune", "--max-deletes", max);
    expect(await limited("2")).toStrictEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        `${header(home)}sendctl: --prune would delete 3 records, but --max-deletes is 2; nothing was sent\n` +
        "hint: check with sendctl diff --prune, then pass --max-deletes 3\n",
    });
    const warning = "Warning: apply would refuse to delete 3 records, because --max-deletes is 2";
    const args = ["--prune", "--max-deletes", "2"];
    expect((await diff(home, ...args)).stderr).toContain(warning);
    expect((await apply(home, ...args, "--dry-run")).stderr).toContain(warning);
    expect((await diff(home, "--prune", "--max-deletes", "3")).stderr).not.toContain(warning);
    expect((await limited("3")).exitCode).toBe(0);
  });

  test("does not delete a sender ID that a group of the manifest uses", async ({
    home,
    expect,
  }) => {
    await applied(home, three);
    await write(home, "sender_ids: []\ngroups: [{name: A, sender_id: OLD}]");
    const { exitCode, stderr } = await diff(home, "--prune");
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--prune would delete the sender ID "OLD"; add it to sender_ids');
  });
});

describe("questions", () => {
  test("come before any change, and name what is deleted", async ({ home, expect }) => {
    await applied(home, "groups: [{name: A}, {name: B}]");
    await write(home, "groups: [{name: A, send_birthday: true}]");
    const args = ["apply", "-f", "sendctl.yaml", "--prune"];
    const question = `Apply these 2 changes to the database ${home.database}, deleting group B (id 2)? `;
    const answering = (keys: string) =>
      runAtTerminal(home, args, { columns: 400, keys: [[question, keys]] });
    const no = await answering("n\r");
    expect(no).toMatchObject({ exitCode: 130, stdout: "" });
    expect(no.stderr).toMatch(/Nothing applied\n$/);
    const stdout = "Updated group A (id 1)\nDeleted group B (id 2)\n";
    expect(await answering("y\r")).toMatchObject({ exitCode: 0, stdout, keysLeft: 0 });
  });

  test("are refused with --quiet, which hides the plan", async ({ home, expect }) => {
    await write(home, manifest);
    expect(await runAtTerminal(home, ["apply", "-f", "sendctl.yaml", "-q"])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr:
        "sendctl: --quiet hides the plan that needs confirmation\nhint: pass --yes, or omit --quiet\n",
    });
  });

  test("name only the first few records", async ({ home, expect }) => {
    await applied(
      home,
      "groups: [{name: A}, {name: B}, {name: C}, {name: D}, {name: E}, {name: F}]",
    );
    await write(home, "groups: []");
    const args = ["apply", "-f", "sendctl.yaml", "--prune", "--max-deletes", "6"];
    const asked = await runAtTerminal(home, args, {
      columns: 400,
      keys: [["group B (id 2) and 1 more? ", "n\r"]],
    });
    expect(asked).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
  });

  test("are refused without a terminal, before anything is sent", async ({ home, expect }) => {
    await write(home, manifest);
    const refused = "sendctl: refusing to apply without confirmation\nhint: pass --yes\n";
    const outcome = { exitCode: 2, stdout: "", stderr: refused };
    expect(await home.run(["apply", "-f", "sendctl.yaml"])).toStrictEqual(outcome);
    const piped = await home.run(["apply", "-"], {}, manifest);
    expect(piped).toMatchObject({ exitCode: 2, stdout: "" });
    expect(piped.stderr).toContain("standard input is the manifest");
    expect(await home.run(["apply"])).toMatchObject({
      exitCode: 2,
      stderr:
        "sendctl: missing required argument FILE\nhint: pass a manifest, or - for standard input\n",
    });
  });
});

describe("export", () => {
  test("writes a manifest that changes nothing, as YAML and as JSON", async ({ home, expect }) => {
    await applied(home, manifest);
    await home.run(["group", "create", "Friends"]);
    for (const args of [["export"], ["export", "--json"]]) {
      const { exitCode, stdout, stderr } = await home.run(args);
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
      await write(home, stdout);
      expect((await diff(home, "--prune")).exitCode).toBe(0);
    }
  });

  test("writes every expressible field, in order of creation", async ({ home, expect }) => {
    await applied(home, manifest);
    const { stdout } = await home.run(["export", "--json"]);
    expect(JSON.parse(stdout)).toStrictEqual({
      sender_ids: [{ name: "ACME", purpose: "Order updates" }],
      groups: [
        {
          name: "Customers",
          send_birthday: true,
          send_holiday: null,
          birthday_message: "Happy birthday, {first_name}!",
        },
        { name: "Friends", send_birthday: false, send_holiday: false, birthday_message: null },
      ],
    });
    const { stdout: yaml } = await home.run(["export"]);
    expect(yaml).toMatch(/^# .*sender_id.*never shows/m);
  });

  test("writes both sections even if they are empty", async ({ home, expect }) => {
    const { stdout } = await home.run(["export", "--json"]);
    expect(JSON.parse(stdout)).toStrictEqual({ sender_ids: [], groups: [] });
    const { stdout: yaml } = await home.run(["export"]);
    expect(yaml).toContain("sender_ids: []\n");
    expect(yaml).toContain("groups: []\n");
  });
});
