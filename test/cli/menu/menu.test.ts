import { mkdir, writeFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { describe } from "vitest";
import { startService } from "../../remote/scripted-service.ts";
import { insertGroups, runAtTerminal, test } from "../../support/home.ts";
import { ctrlC, down, each, enter, inMenu, up, what, which } from "./keys.ts";

describe.concurrent("the menu", () => {
  test("says what it works on, and ends at Quit", async ({ home, expect }) => {
    const ran = await inMenu(home, each(what, up, enter));
    expect(ran).toMatchObject({ exitCode: 0, keysLeft: 0, stdout: "" });
    expect(ran.stderr).toContain(`sendctl · embedded engine · ${home.database}`);
  });

  test("ends at Ctrl-C with 130, at every level", async ({ home, expect }) => {
    for (const keys of [each(what, ctrlC), [...each(what, enter), ...each(which, ctrlC)]]) {
      const ran = await inMenu(home, keys);
      expect(ran).toMatchObject({ exitCode: 130, keysLeft: 0, stdout: "" });
      expect(ran.stderr).toMatch(/Cancelled\n$/);
    }
  });

  test("creates, shows the command that would have, and comes back", async ({ home, expect }) => {
    const ran = await inMenu(home, [
      ...each(what, enter),
      ...each(which, enter),
      ["Name of the sender ID", `ACME${enter}`],
      ["Purpose", `Order updates${enter}`],
      ...each(what, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id create ACME --purpose 'Order updates'\n");
    expect(ran.stdout).toContain("ACME");
    const { stdout } = await home.run(["sender-id", "list", "-o", "id"]);
    expect(stdout).toBe("ACME\n");
  });

  test("asks for another name where carriers may refuse it, before the purpose", async ({
    home,
    expect,
  }) => {
    const ran = await inMenu(
      home,
      [
        ...each(what, enter),
        ...each(which, enter),
        ["Name of the sender ID", `Bäckerei${enter}`],
        ["Carriers may refuse “Bäckerei”", enter],
        ["? Name of the sender ID", `Bakery${enter}`],
        ["Purpose", `Offers${enter}`],
        ...each(what, ctrlC),
      ],
      { args: ["--timeout", "5s"] },
    );
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain(
      "$ sendctl --timeout 5s sender-id create Bakery --purpose Offers\n",
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
      const keys = [...each(what, enter), ...each(which, down, enter), ...each(what, ctrlC)];
      const ran = await runAtTerminal(home, args, { keys, columns: 300, env });
      const words = ["sendctl sender-id list", options].filter((word) => word !== "");
      expect(stripVTControlCharacters(ran.stderr)).toContain(`  $ ${words.join(" ")}\n`);
    }
    await service.close();
  });

  test("works with the options that sendctl was given", async ({ home, expect }) => {
    const file = `${home.folder}/other.db`;
    const keys = [...each(what, enter), ...each(which, down, enter), ...each(what, ctrlC)];
    const ran = await inMenu(home, keys, { args: ["--database", file] });
    expect(ran.stderr).toContain(`embedded engine · ${file}`);
    expect(ran.stderr).toContain("No sender IDs yet");
  });

  test("finds a group by what is typed, and sends only what was changed", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Friends"]);
    await home.run(["group", "create", "Customers"]);
    const ran = await inMenu(home, [
      ...each(what, down, enter),
      ...each(which, down, down, down, enter),
      ["Which group?", "fri"],
      ["1 · Friends", enter],
      ["Name", ` of ours${enter}`],
      ["Send birthday", enter],
      ["Send holiday", enter],
      ["Birthday message", enter],
      ["Sender ID", enter],
      ["Send this change to the database ", `y${enter}`],
      ...each(what, ctrlC),
    ]);
    expect(ran.stderr).toContain("name: Friends → Friends of ours");
    expect(ran.stderr).toContain("$ sendctl group update 1 --name 'Friends of ours'\n");
    expect(ran.keysLeft).toBe(0);
    const { stdout } = await home.run(["group", "list", "-o", "csv"]);
    expect(stdout).toContain("1,");
    expect(stdout).toContain("Friends of ours,false");
  });

  test("is not answered by the text of a record", async ({ home, expect }) => {
    const text = `Friends${enter}y${enter}\u001b[2J\u202e`;
    await insertGroups(home, [{ name: text, message: `${text}\n` }]);
    const ran = await inMenu(home, [
      ...each(what, down, enter),
      ...each(which, down, down, down, enter),
      ["Which group?", enter],
      ["Name", enter],
      ["Send birthday", enter],
      ["Send holiday", enter],
      ["Birthday message", enter],
      ["Sender ID", enter],
      ...each(what, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("Nothing changed");
    expect(ran.stderr).not.toContain("\u202e");
  });

  test("keeps a name that is emptied, which no group can do without", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const ran = await inMenu(home, [
      ...each(what, down, enter),
      ...each(which, down, down, down, enter),
      ["Which group?", enter],
      ["Name", `\u0015${enter}`],
      ["Send birthday", enter],
      ["Send holiday", enter],
      ["Birthday message", enter],
      ["Sender ID", enter],
      ...each(what, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("Nothing changed");
  });

  test("changes nothing where the change is not confirmed", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const ran = await inMenu(home, [
      ...each(what, down, enter),
      ...each(which, down, down, down, enter),
      ["Which group?", enter],
      ["Name", `!${enter}`],
      ["Send birthday", enter],
      ["Send holiday", enter],
      ["Birthday message", enter],
      ["Sender ID", enter],
      ["Send this change to the database ", enter],
      ...each(what, ctrlC),
    ]);
    expect(ran.stderr).toContain("Nothing changed");
    expect((await home.run(["group", "list", "-o", "csv"])).stdout).toContain("Friends,false");
  });

  test("lists every command, and goes back", async ({ home, expect }) => {
    const { stdout: help } = await home.run(["--help"]);
    const section = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)![1]!;
    const names = [...section.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name!);
    const back = [...each(what, enter), ...each(which, up, enter)];
    const ran = await inMenu(home, [...back, ...each(what, ...names.map(() => down), ctrlC)]);
    expect(ran.keysLeft).toBe(0);
    for (const name of names.filter((one) => one !== "help")) {
      expect(ran.stderr).toMatch(new RegExp(`^(?:❯|>| ) ${name} +[A-Z]`, "m"));
    }
  });

  test("asks for the arguments of a command, and reaches the commands of local", async ({
    home,
    expect,
  }) => {
    const local = 7;
    const review = 10;
    await home.run(["sender-id", "create", "ACME", "--purpose", "x"]);
    const ran = await inMenu(home, [
      ...each(what, enter),
      ...each(which, down, down, enter),
      ["Which sender ID?", enter],
      ...each(what, ...Array.from({ length: local }, () => down), enter),
      ...each(which, ...Array.from({ length: review }, () => down), enter),
      ["Which sender ID?", enter],
      ["Status", `${down}${enter}`],
      ...each(what, ctrlC),
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id fetch ACME\n");
    expect(ran.stderr).toContain("$ sendctl local review ACME --status APPROVED\n");
    expect(ran.stdout).toContain("APPROVED");
  });

  test("is no menu without a terminal: help", async ({ home, expect }) => {
    const ran = await home.run([]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Usage: sendctl /);
    const noInput = await runAtTerminal(home, ["--no-input"]);
    expect(noInput.stdout).toMatch(/^Usage: sendctl /);
  });
});
