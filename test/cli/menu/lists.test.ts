import { describe } from "vitest";
import { envelope, group, page } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { dataOf, insertGroups, manyGroups, test, type Home } from "../../support/home.ts";
import {
  changeName,
  choose,
  command,
  ctrlC,
  down,
  enter,
  inMenu,
  topQuestion,
  verbQuestion,
  type Keys,
} from "./keys.ts";

/** Creates twenty groups; a page shows fifteen. */
async function stock(home: Home): Promise<void> {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    name: `Customers of the northern warehouse, ${index % 2 === 0 ? "Łódź" : "Bath"}`,
    message: "Happy birthday, {first_name}!",
  }));
  await insertGroups(home, rows);
}

const first = "20 groups, page 1 of 2";
const second = "20 groups, page 2 of 2";

/** Keys that page through groups forward and back, open one, search, and delete what was found. */
const visit: Keys = [
  ...command("group", "list"),
  ...choose(first, "Next page"),
  ...choose(second, "Previous page"),
  ...choose(first, "Next page"),
  [second, "2"],
  ["❯ Customers", enter],
  ["❯ Open", enter],
  ...choose("❯ Open", "Back"),
  ...choose(second, "Search"),
  ["Which group? Type to search", "łódź · id 19"],
  ["“łódź · id 19”, as typed", enter],
  ...choose("❯ Open", "Delete"),
  ["(y/N)", `y${enter}`],
  ["19 groups, page 2 of 2", ctrlC],
];

describe.concurrent("a list of the menu", () => {
  test("shows the page before one that has become empty", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(16));
    const ran = await inMenu(home, [
      ...command("group", "list"),
      ...choose("16 groups, page 1 of 2", "Next page"),
      ["❯ Group 0 · id 1", enter],
      ...choose("❯ Open", "Delete"),
      ["(y/N)", `y${enter}`],
      ["? 15 groups", ctrlC],
    ]);
    expect(ran.keysLeft).toBe(0);
  });

  for (const columns of [40, 80, 120]) {
    test(`pages, searches, opens and deletes at ${columns} columns`, async ({ home, expect }) => {
      await stock(home);
      const ran = await inMenu(home, visit, { columns });
      expect(ran.keysLeft).toBe(0);
      const question = ran.stderr.replaceAll(/\s+/g, "");
      expect(question).toContain(`anditscontactsfromthedatabase${home.database}?`);
      for (const line of [
        "group list",
        "group list --page 2",
        "group fetch 4",
        "group delete 19",
      ]) {
        expect(ran.stderr).toContain(`  $ sendctl ${line}\n`);
      }
      expect(ran.stdout).toContain("{first_name}!");
      const left = dataOf(await home.run(["group", "list", "--all", "--json"]));
      expect(left).toMatchObject({ total: 19 });
    });
  }

  test("breaks no word at 40 columns", async ({ home, expect }) => {
    await stock(home);
    const keys = [...visit.slice(0, -4), ["❯ Open", ctrlC]] as const;
    const narrow = await inMenu(home, keys, { columns: 40 });
    const wide = await inMenu(home, keys, { columns: 300 });
    expect(narrow.keysLeft + wide.keysLeft).toBe(0);
    const known = new Set(wide.stderr.split(/\s+/));
    // A path may be longer than a line, and a cell is cut.
    const broken = narrow.stderr
      .split(/\s+/)
      .filter((word) => !known.has(word) && !home.database.includes(word));
    expect([...new Set(broken)].filter((word) => !word.endsWith("…"))).toStrictEqual([]);
    // A record that was cut stays on one line, with its id.
    const cut = narrow.stderr.split(/\r?\n/).filter((line) => line.includes("…"));
    expect(cut.length).toBeGreaterThan(20);
    expect(cut.filter((line) => !/ Customers .*… · id \d+$/.test(line))).toStrictEqual([]);
  });

  test("counts the pages of a service that begins with page 0", async ({ home, expect }) => {
    const service = await startService(({ target }, { respond }) => {
      const number = Number(new URL(target, "http://localhost").searchParams.get("page") ?? 0);
      const records = [14, 13, 12]
        .slice(2 * number, 2 * number + 2)
        .map((id) => ({ ...group, id }));
      const numbers = { current_page: number, last_page: 1, per_page: 2, total: 3 };
      respond(200, envelope(page(records, numbers)));
    });
    const { baseUrl } = service;
    const profiles = { prod: { baseUrl, secretKey: "sk_1" } };
    await writeConfig(home, { current: "prod", profiles });
    const ran = await inMenu(home, [
      ...command("group", "list"),
      ...choose("3 groups, page 1 of 2", "Next page"),
      ["3 groups, page 2 of 2", enter],
      ["❯ Open", ctrlC],
    ]);
    expect(ran.keysLeft).toBe(0);
    // What works on the embedded database is not offered.
    expect(ran.stderr).toContain("Preview the birthday message");
    expect(ran.stderr).not.toContain("Contacts\n");
    await service.close();
  });

  test("opens a sender ID whose name begins with a dash", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "--purpose", "p", "--", "-x"]);
    const ran = await inMenu(home, [
      ["❯ sender-id", enter],
      ...choose(verbQuestion, "list"),
      ["1 sender ID", enter],
      ["❯ Open", enter],
      ...choose("❯ Open", "Back"),
      ["1 sender ID", ctrlC],
    ]);
    expect(ran.keysLeft).toBe(0);
    expect(ran.stderr).toContain("$ sendctl sender-id fetch -- -x\n");
  });

  test("edits a group and shows the list again", async ({ home, expect }) => {
    await stock(home);
    const keys = [
      ...command("group", "list"),
      [first, enter],
      ...choose("❯ Open", "Edit"),
      ...changeName,
      ["? Name", ` (old)${enter}`],
      [`Send this change to the database ${home.database}?`, `y${enter}`],
      [first, ctrlC],
    ] as const;
    const ran = await inMenu(home, keys);
    expect(ran).toMatchObject({ exitCode: 130, keysLeft: 0 });
    const name = "Customers of the northern warehouse, Bath (old)";
    expect(ran.stderr).toContain(`$ sendctl group update 20 --name '${name}'\n`);
    expect(dataOf(await home.run(["group", "fetch", "20", "--json"]))).toMatchObject({ name });
  });

  test("edits and deletes the contacts of a group", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    for (const phone of ["+447911123401", "+447911123402"]) {
      await home.run(["local", "contact", "add", "1", phone, "--first-name", "Ada"]);
    }
    const keys = [
      ...command("group", "list"),
      ["1 group", enter],
      ...choose("❯ Open", "Contacts"),
      ["2 contacts of group 1", enter],
      ["❯ Edit", enter],
      ["First name", ` Byron${enter}`],
      ["Birth date", `1990-02-28${enter}`],
      ["2 contacts of group 1", down],
      ["❯ +447911123402", enter],
      ...choose("❯ Edit", "Delete"),
      ["from group 1 (Friends) in the database ", `y${enter}`],
      ["1 contact of group 1", ctrlC],
    ] as const;
    const ran = await inMenu(home, keys);
    expect(ran.keysLeft).toBe(0);
    const options = "--first-name 'Ada Byron' --birth-date 1990-02-28";
    expect(ran.stderr).toContain(`$ sendctl local contact add 1 +447911123401 ${options}\n`);
    expect(ran.stderr).toContain("$ sendctl local contact delete 1 +447911123402\n");
    const { stdout } = await home.run(["local", "contact", "list", "1", "-o", "csv"]);
    expect(stdout).toContain("+447911123401,Ada Byron,1990-02-28");
    expect(stdout).not.toContain("+447911123402");
  });

  test("manages keys, integrations and profiles", async ({ home, expect }) => {
    await home.run(["local", "key", "create"]);
    const keys = [
      ...command("local", "key", "list"),
      ["1 key", enter],
      ["❯ Revoke", enter],
      [`of the database ${home.database}?`, `y${enter}`],
      // The list is empty now.
      ...command("local"),
      [verbQuestion, enter],
      ...choose(verbQuestion, "list"),
      ["1 integration", enter],
      ["❯ Create a key", enter],
      ...choose("1 integration", "Back"),
      ...command("login"),
      ["Name of the profile", `prod${enter}`],
      ["Base URL of the service", `sms.example.com${enter}`],
      ["the base URL is invalid", ""],
      ["? Base URL of the service", `https://sms.example.com${enter}`],
      ["Secret key for https://sms.example.com", ctrlC],
      ...command("profile"),
      [verbQuestion, enter],
      [topQuestion, ctrlC],
    ] as const;
    const ran = await inMenu(home, keys);
    expect(ran.keysLeft).toBe(0);
    for (const line of [
      "local key revoke 1",
      "local key list",
      "local key create --integration default",
      "login --profile prod",
      "profile list",
    ]) {
      expect(ran.stderr).toContain(`  $ sendctl ${line}\n`);
    }
  });
});
