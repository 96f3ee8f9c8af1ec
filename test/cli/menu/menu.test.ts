import { mkdir, writeFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { describe } from "vitest";
import { envelope, group, page } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { contentsOf, insertGroups, runAtTerminal, test } from "../../support/home.ts";
import {
  changeName,
  choose,
  command,
  ctrlC,
  down,
  oneByOne,
  enter,
  escape,
  inMenu,
  up,
  topQuestion,
  verbQuestion,
  type Keys,
} from "./keys.ts";

describe.concurrent("the menu", () => {
  test("shows its target and ends at Quit", async ({ home, expect }) => {
    const file = `${home.folder}/other.db`;
    for (const [args, database] of [
      [[], home.database],
      [["--database", file], file],
    ] as const) {
      const ran = await inMenu(home, oneByOne(topQuestion, up, enter), { args });
      expect(ran).toMatchObject({ exitCode: 0, keysLeft: 0, stdout: "" });
      expect(ran.stderr).toContain(`sendctl · embedded engine · ${database}`);
    }
  });

  test("ends with 130 on Ctrl-C at every level", async ({ home, expect }) => {
    for (const keys of [
      oneByOne(topQuestion, ctrlC),
      [...oneByOne(topQuestion, enter), ...oneByOne(verbQuestion, ctrlC)],
    ]) {
      const ran = await inMenu(home, keys);
      expect(ran).toMatchObject({ exitCode: 130, keysLeft: 0, stdout: "" });
      expect(ran.stderr).toMatch(/Cancelled\n$/);
    }
  });

  test("goes one step back on Escape, and ends at the top", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const ran = await inMenu(home, [
      ...command("group"),
      ["❯ create", escape],
      ...command("group"),
      ["❯ create", enter],
      ["Name of the group", escape],
      ...choose(verbQuestion, "list"),
      ["❯ Friends · id 1", enter],
      ["❯ Open", escape],
      ["❯ Friends · id 1", escape],
      [topQuestion, escape],
    ]);
    expect(ran).toMatchObject({ keysLeft: 0, exitCode: 0 });
    expect(await home.run(["group", "list", "-o", "id"])).toMatchObject({ stdout: "1\n" });
  });

  test("asks for the method, the path and the body of a raw request", async ({ home, expect }) => {
    const ran = await inMenu(home, [
      ...command("api"),
      ...choose("Method", "POST"),
      ["Path", enter],
      ["Body, as JSON", `{"name":"Friends"}${enter}`],
      [topQuestion, ctrlC],
    ]);
    expect(ran).toMatchObject({ keysLeft: 0 });
    expect(ran.stderr).toContain(`sendctl api POST /v1/group --body '{"name":"Friends"}'`);
    expect(await home.run(["group", "list", "-o", "id"])).toMatchObject({ stdout: "1\n" });
  });

  test("asks for a file that exists before the next question", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    await writeFile(`${home.folder}/a.yaml`, "groups: []\n");
    const ran = await inMenu(home, [
      ...command("apply"),
      ["? Manifest file", `nope.yaml${enter}`],
      ["sendctl: nope.yaml does not exist\n? Manifest file", `a.yaml${enter}`],
      ["? Delete records missing from the manifest", escape],
      ...command("local", "contact"),
      ["❯ import", enter],
      ["❯ Friends · id 1", enter],
      ["? CSV file", `nope.csv${enter}`],
      ["sendctl: nope.csv does not exist\n? CSV file", `a.yaml${enter}`],
      ["? Country of national numbers, like GB (default: numbers must start with +)", ctrlC],
    ]);
    expect(ran).toMatchObject({ keysLeft: 0 });
    expect(ran.stderr).not.toContain("(empty");
  });

  test("creates a record, shows the equivalent command, and returns", async ({ home, expect }) => {
    const ran = await inMenu(home, [
      ...oneByOne(topQuestion, enter),
      ...oneByOne(verbQuestion, enter),
      ["Name of the sender ID", `ACME${enter}`],
      ["Purpose", `Order updates${enter}`],
      ...oneByOne(topQuestion, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id create ACME --purpose 'Order updates'\n");
    expect(ran.stdout).toContain("ACME");
    const { stdout } = await home.run(["sender-id", "list", "-o", "id"]);
    expect(stdout).toBe("ACME\n");
  });

  test("warns before the purpose if carriers may refuse the name", async ({ home, expect }) => {
    const ran = await inMenu(home, [
      ...oneByOne(topQuestion, enter),
      ...oneByOne(verbQuestion, enter),
      ["Name of the sender ID", `Bakery-Ltd${enter}`],
      ["Warning: carriers may refuse this name", ""],
      ["Purpose", `Offers${enter}`],
      ...oneByOne(topQuestion, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id create Bakery-Ltd --purpose Offers\n");
  });

  test("asks yes or no in one order, and for a birthday message only after yes", async ({
    home,
    expect,
  }) => {
    const create: Keys = [
      ...command("group"),
      ["❯ create", enter],
      ["Name of the group", `Friends${enter}`],
    ];
    const ran = await inMenu(home, [
      ...create,
      ["? Send birthday messages\n  yes\n❯ no", enter],
      ...create,
      ...choose("? Send birthday messages", "yes"),
      ["? Birthday message, with {first_name} for the name (empty for none)", `Hi${enter}`],
      ...command("group", "update"),
      ["❯ Friends · id 2", enter],
      ["Fields to change", `${down} `],
      ["❯◉ Send birthday messages", enter],
      ["? Send birthday messages\n❯ yes\n  no", ctrlC],
    ]);
    expect(ran).toMatchObject({ keysLeft: 0 });
    expect(ran.stderr).toContain("$ sendctl group create Friends\n");
    expect(ran.stderr).toContain(
      "$ sendctl group create Friends --send-birthday --birthday-message Hi\n",
    );
  });

  test("shows options that select the same target", async ({ home, expect }) => {
    const service = await startService((_, { respond }) => {
      const page = { data: [], current_page: 1, last_page: 1, per_page: 15, total: 0 };
      respond(200, { status: true, message: "Senders retrieved", data: page });
    });
    const { baseUrl } = service;
    const dev = { mode: "local", database: `${home.folder}/dev.db` };
    const profiles = { prod: { baseUrl, secretKey: "sk_of_the_profile" }, dev };
    const folder = `${home.folder}/.config/sendctl`;
    await mkdir(folder, { recursive: true });
    const file = `${home.folder}/my own.db`;
    const key = { SENDCTL_SECRET_KEY: "sk_of_the_environment" };
    const rows = [
      ["prod", [], {}, "--profile prod"],
      ["dev", [], {}, "--profile dev"],
      ["prod", ["--database", file], {}, `--database '${file}'`],
      ["prod", ["--local"], {}, "--local"],
      ["prod", [], { SENDCTL_DATABASE: file }, `--database '${file}'`],
      ["dev", [], { SENDCTL_BASE_URL: baseUrl, ...key }, `--base-url ${baseUrl}`],
      ["dev", ["--profile", "prod"], {}, "--profile prod"],
      [undefined, [], {}, ""],
    ] as const;
    for (const [current, args, env, options] of rows) {
      await writeFile(`${folder}/config.json`, JSON.stringify({ current, profiles }));
      const keys = [
        ...oneByOne(topQuestion, enter),
        ...oneByOne(verbQuestion, down, enter),
        ...oneByOne(topQuestion, ctrlC),
      ];
      const ran = await runAtTerminal(home, args, { keys, columns: 300, env });
      const words = ["sendctl sender-id list", options].filter((word) => word !== "");
      expect(stripVTControlCharacters(ran.stderr)).toContain(`  $ ${words.join(" ")}\n`);
    }
    await service.close();
  });

  test("works on the embedded keys and groups below local while a service is chosen", async ({
    home,
    expect,
  }) => {
    const service = await startService((_, { respond }) =>
      respond(200, envelope(page([{ ...group, name: "Remote" }]), "Groups retrieved")),
    );
    const { baseUrl } = service;
    await home.run(["group", "create", "Embedded"]);
    await home.run(["local", "key", "create"]);
    const profiles = { prod: { baseUrl, secretKey: "sk_of_the_profile" } };
    await writeConfig(home, { current: "prod", profiles });
    const keys = await inMenu(home, [
      ...command("local", "key", "list"),
      ["1 key", enter],
      ["❯ Revoke", ctrlC],
    ]);
    expect(keys.keysLeft).toBe(0);
    const contacts = await inMenu(home, [
      ...command("local", "contact"),
      ["❯ import", enter],
      ["❯ Embedded · id 1", ctrlC],
    ]);
    expect(contacts.keysLeft).toBe(0);
    const args = ["--profile", "prod"];
    const info = await inMenu(home, [...command("local", "info"), [topQuestion, ctrlC]], { args });
    expect(info).toMatchObject({ keysLeft: 0, stdout: expect.stringContaining(home.database) });
    expect(service.received).toStrictEqual([]);
    await service.close();
  });

  test("lists the records of the profile that it has switched to", async ({ home, expect }) => {
    const dev = { mode: "local", database: `${home.folder}/dev.db` };
    await writeConfig(home, { profiles: { dev } });
    await home.run(["group", "create", "Friends"]);
    for (const name of ["Staff", "Guests"]) {
      await home.run(["group", "create", name, "--profile", "dev"]);
    }
    const ran = await inMenu(home, [
      ...command("group", "list"),
      ...choose("1 group", "Back"),
      ...command("profile"),
      [verbQuestion, enter],
      ["1 profile", enter],
      ...choose("❯ Show", "Use"),
      ...choose("1 profile", "Back"),
      ...command("group", "list"),
      ["2 groups", ctrlC],
    ]);
    expect(ran.keysLeft).toBe(0);
  });

  test("finds a group by typing and sends only changed fields", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    await home.run(["group", "create", "Customers"]);
    const ran = await inMenu(home, [
      ...oneByOne(topQuestion, down, enter),
      ...oneByOne(verbQuestion, down, down, down, enter),
      ["Which group?", "fri"],
      ["❯ Friends · id 1", enter],
      ...changeName,
      ["? Name", ` of ours${enter}`],
      ["Send this change to the database ", `y${enter}`],
      ...oneByOne(topQuestion, ctrlC),
    ]);
    expect(ran.stderr).toContain('name: "Friends" → "Friends of ours"');
    expect(ran.stderr).toContain("$ sendctl group update 1 --name 'Friends of ours'\n");
    expect(ran.keysLeft).toBe(0);
    const { stdout } = await home.run(["group", "list", "-o", "csv"]);
    expect(stdout).toContain("1,");
    expect(stdout).toContain("Friends of ours,false");
  });

  const evil = `Friends${enter}y${enter}\u001b[2J\u202e`;
  const answers: readonly (readonly [title: string, name: string, keys: Keys])[] = [
    [
      "is not controlled by the text of a record",
      evil,
      [
        ["Fields to change", " "],
        ["❯◉ Name", down],
        ["❯◯ Send birthday", down],
        ["❯◯ Send holiday", down],
        ["❯◯ Birthday message", " "],
        ["❯◉ Birthday message", enter],
        ["? Name", enter],
        ["? Birthday message", enter],
      ],
    ],
    [
      "keeps the name of a group if it is emptied",
      "Friends",
      [...changeName, ["? Name", `\u0015${enter}`]],
    ],
    [
      "changes nothing if the change is declined",
      "Friends",
      [...changeName, ["? Name", `!${enter}`], ["Send this change to the database ", enter]],
    ],
  ];
  for (const [title, name, keys] of answers) {
    test(title, async ({ home, expect }) => {
      await insertGroups(home, [{ name, message: `${name}\n` }]);
      const before = contentsOf(home.database);
      const ran = await inMenu(home, [
        ...oneByOne(topQuestion, down, enter),
        ...oneByOne(verbQuestion, down, down, down, enter),
        ["Which group?", enter],
        ...keys,
        ...oneByOne(topQuestion, ctrlC),
      ]);
      expect(ran.keysLeft).toBe(0);
      expect(ran.stderr).toContain("Nothing changed");
      expect(ran.stderr).not.toContain("\u202e");
      expect(contentsOf(home.database)).toStrictEqual(before);
    });
  }

  test("lists every command and goes back", async ({ home, expect }) => {
    const { stdout: help } = await home.run(["--help"]);
    const section = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)![1]!;
    const names = [...section.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name!);
    const back = [...oneByOne(topQuestion, enter), ...oneByOne(verbQuestion, up, enter)];
    const ran = await inMenu(home, [
      ...back,
      ...oneByOne(topQuestion, ...names.map(() => down), ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    for (const name of names.filter((one) => one !== "help")) {
      expect(ran.stderr).toMatch(new RegExp(`^(?:❯|>| ) ${name} +[A-Z]`, "m"));
    }
  });

  test("asks for the arguments of a command below local", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "ACME", "--purpose", "x"]);
    const ran = await inMenu(home, [
      ...oneByOne(topQuestion, enter),
      ...oneByOne(verbQuestion, down, down, enter),
      ["Which sender ID?", enter],
      ...command("local", "review"),
      ["Which sender ID?", enter],
      ["Status", `${down}${enter}`],
      ...oneByOne(topQuestion, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id fetch ACME\n");
    expect(ran.stderr).toContain("$ sendctl local review ACME --status APPROVED\n");
    expect(ran.stdout).toContain("APPROVED");
  });

  const url = "http://127.0.0.1:9";

  test("asks which profile to log out of, and which integration gets a key", async ({
    home,
    expect,
  }) => {
    await writeConfig(home, { profiles: { prod: { baseUrl: url, secretKey: "sk_1234567890" } } });
    await home.run(["local", "integration", "create", "staging"]);
    const ran = await inMenu(home, [
      ...command("logout"),
      ["❯ prod", enter],
      ...command("local", "key"),
      ["❯ create", enter],
      ...choose("Which integration?", "staging"),
      [topQuestion, ctrlC],
    ]);
    expect(ran).toMatchObject({ keysLeft: 0 });
    expect(ran.stderr).toContain("sendctl logout --profile prod");
    expect(ran.stderr).toContain("sendctl local key create --integration staging");
    const keys = await home.run(["local", "key", "list", "-o", "csv", "--local"]);
    expect(keys.stdout).toContain(",staging,");
  });

  test("is replaced by help without a terminal", async ({ home, expect }) => {
    const ran = await home.run([]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Usage: sendctl /);
    const noInput = await runAtTerminal(home, ["--no-input"]);
    expect(noInput.stdout).toMatch(/^Usage: sendctl /);
  });
});
