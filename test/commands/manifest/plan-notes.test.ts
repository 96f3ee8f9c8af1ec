import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe } from "vitest";
import { dataOf, errorOf, runAtTerminal, test, type Home } from "../../support/home.ts";

async function write(home: Home, manifest: string): Promise<void> {
  await writeFile(join(home.folder, "sendctl.yaml"), manifest);
}

/** Creates group 1, Customers, with two contacts. */
async function withContacts(home: Home): Promise<void> {
  await home.run(["group", "create", "Customers", "--send-birthday"]);
  for (const phone of ["+4915112345678", "+4915112345679"]) {
    const added = await home.run(["local", "contact", "add", "1", phone]);
    if (added.exitCode !== 0) throw new Error(added.stderr);
  }
}

const prune = ["sendctl.yaml", "--prune"];

describe("the target", () => {
  test("is named before a plan, also without a terminal", async ({ home, expect }) => {
    await write(home, "groups: [{name: Customers}]");
    const header = `→ the database ${home.database}\n`;
    for (const args of [["diff"], ["apply", "--dry-run"], ["apply", "--yes"]]) {
      // An empty variable is an unset one, so a CI job without its secret works on a local file.
      const ran = await home.run([...args, "sendctl.yaml", "--json"], { SENDCTL_BASE_URL: "" });
      expect(ran.stderr.startsWith(header)).toBe(true);
      expect(ran.stderr.split(header)).toHaveLength(2);
    }
    const quiet = await home.run(["apply", "--yes", "-q", "sendctl.yaml"]);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a delete of a group", () => {
  test("shows the contacts that are deleted with it", async ({ home, expect }) => {
    await withContacts(home);
    await write(home, "groups: []");
    const { data } = { data: dataOf(await home.run(["diff", ...prune, "--json"])) };
    expect(data).toMatchObject({ steps: [{ action: "delete", id: 1, contacts_count: 2 }] });
    const asked = await runAtTerminal(home, ["apply", ...prune], {
      columns: 400,
      keys: [[", deleting group Customers (id 1) and its 2 contacts? ", "n\r"]],
    });
    expect(asked).toMatchObject({ exitCode: 130, keysLeft: 0 });
  });

  test.for([
    [["1"], "Delete group 1 (Customers, 2 contacts) and its contacts from the database "],
    [["Customers"], "Delete group 1 (Customers, 2 contacts) and its contacts from the database "],
    [["2", "1"], "? Delete these 2 groups and their contacts from the database "],
  ] as const)(
    "shows them without a manifest, too: %j",
    async ([args, question], { home, expect }) => {
      await withContacts(home);
      await home.run(["group", "create", "Empty"]);
      const keys = [["(y/N)", "n\r"]] as const;
      const asked = await runAtTerminal(home, ["group", "delete", ...args], { columns: 400, keys });
      expect(asked).toMatchObject({ exitCode: 130, keysLeft: 0 });
      expect(stripVTControlCharacters(asked.stderr)).toContain(question);
    },
  );

  test("and a create may be a rename", async ({ home, expect }) => {
    await withContacts(home);
    await write(home, "groups: [{name: Clients, send_birthday: true}]");
    const text = await home.run(["diff", ...prune]);
    expect(text.stderr).toContain(
      "group Customers (id 1) and its 2 contacts would be deleted and group Clients created; to rename a group and keep its contacts, write its id beside the new name",
    );
    await write(home, "groups: [{name: Clients}, {name: Suppliers}]");
    expect((await home.run(["diff", ...prune])).stderr).not.toContain("to rename a group");
    await write(home, "groups: [{name: Clients, id: 1, send_birthday: true}]");
    expect((await home.run(["apply", ...prune, "--yes"])).exitCode).toBe(0);
    expect(dataOf(await home.run(["group", "list", "--json"]))).toMatchObject({
      data: [{ name: "Clients", contacts_count: 2 }],
    });
  });
});

describe("a sender ID whose purpose differs", () => {
  test("names --replace in the plan and in the data of apply", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "ACME", "--purpose", "Alerts"]);
    await write(home, "sender_ids: [{name: ACME, purpose: Orders}]");
    const failed = await home.run(["apply", "sendctl.yaml", "--yes", "--json"]);
    expect(failed.exitCode).toBe(12);
    expect(errorOf(failed)).toMatchObject({ kind: "differences", hint: "pass --replace" });
    expect(errorOf(failed).message).toContain("sender ID ACME must be replaced");
    const step = { action: "replace", kind: "sender-id", name: "ACME", outcome: "not_tried" };
    expect(dataOf(failed)).toMatchObject({ must_be_replaced: 1, steps: [step] });
    expect(dataOf(failed)).toMatchObject({ applied: 0, not_tried: 1, summary: { replaced: 0 } });
    const compared = await home.run(["diff", "sendctl.yaml", "--json"]);
    expect(dataOf(compared)).toMatchObject({ must_be_replaced: 1, summary: { replaced: 0 } });
    const keys = (outcome: typeof failed) =>
      Object.keys((dataOf(outcome) as { readonly summary: object }).summary);
    expect(keys(failed)).toStrictEqual(keys(compared));
    const plan = await home.run(["diff", "sendctl.yaml"]);
    expect(plan.stderr).toContain("1 difference · 1 must be replaced\n");
    expect(plan.stdout).toContain("ACME needs --replace\n");
    const replacing = await home.run(["diff", "sendctl.yaml", "--replace"]);
    expect(replacing.stdout).toContain("ACME will be replaced\n");
  });
});

function group(name: string): string {
  return `{name: ${name}, birthday_message: "Hi {name}"}`;
}

test("texts are checked like those of a create, once per changed record", async ({
  home,
  expect,
}) => {
  const senders = "sender_ids: [{name: Bücher, purpose: x}]";
  await write(home, `${senders}\ngroups: [${group("A")}, ${group("B")}, {name: C}]`);
  for (const args of [["diff"], ["apply", "--yes"]]) {
    const { stderr } = await home.run([...args, "sendctl.yaml"]);
    const warnings = stderr.split("\n").filter((line) => line.startsWith("Warning: "));
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/sender ID Bücher: carriers/);
    expect(warnings[1]).toMatch(/group A: .*\{name\}; did you mean \{first_name\}\?$/);
  }
  const again = await home.run(["diff", "sendctl.yaml"]);
  expect(again).toMatchObject({ exitCode: 0 });
  expect(again.stderr).not.toContain("Warning");
});
