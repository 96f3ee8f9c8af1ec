import { describe } from "vitest";
import {
  contentsOf,
  dataOf,
  insertGroups,
  runAtTerminal,
  test,
  type Home,
} from "../../support/home.ts";

/** Creates groups 1 to 5: a unique name, one that looks like an id, one with the prefix, and two that are equal. */
async function stock(home: Home): Promise<void> {
  for (const name of ["Customers", "12", "name:x", "Staff", "Staff"]) {
    await home.run(["group", "create", "--", name]);
  }
}

async function idOf(home: Home, ...args: string[]): Promise<unknown> {
  return (dataOf(await home.run([...args, "--json"])) as { id: unknown }).id;
}

describe.concurrent("the name of a group", () => {
  test("is accepted by every command", async ({ home, expect }) => {
    await stock(home);
    expect(await idOf(home, "group", "fetch", "Customers")).toBe(1);
    expect(await idOf(home, "group", "update", "Customers", "--send-birthday")).toBe(1);
    const preview = await home.run(["group", "preview", "Customers", "--json"]);
    expect(dataOf(preview)).toMatchObject({ group_id: 1 });
    const contacts = await home.run(["local", "contact", "list", "Customers"]);
    expect(contacts.exitCode).toBe(0);
    expect((await home.run(["group", "delete", "Customers", "--yes"])).exitCode).toBe(0);
    expect((await home.run(["group", "fetch", "1"])).exitCode).toBe(4);
  });

  test("needs the prefix name: if it looks like an id", async ({ home, expect }) => {
    await stock(home);
    expect((await home.run(["group", "fetch", "12"])).exitCode).toBe(4);
    expect(await idOf(home, "group", "fetch", "name:12")).toBe(2);
    expect(await idOf(home, "group", "fetch", "name:name:x")).toBe(3);
    expect((await home.run(["group", "fetch", "name:x"])).exitCode).toBe(4);
  });

  test("is found on any page", async ({ home, expect }) => {
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      name: `Group ${index}`,
      message: "Hi",
    }));
    await insertGroups(home, rows);
    expect(await idOf(home, "group", "fetch", "Group 0")).toBe(1);
    expect(await idOf(home, "group", "fetch", "Group 2499")).toBe(2500);
  });

  test("is rejected with the ids if several groups share it", async ({ home, expect }) => {
    await stock(home);
    for (const args of [["fetch"], ["update", "--send-birthday"], ["delete", "--yes"]]) {
      const refused = await home.run(["group", ...args, "Staff", "--json"]);
      expect(refused.exitCode).toBe(2);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: { kind: "usage", message: '2 groups are named "Staff": ids 5, 4' },
      });
    }
    expect(dataOf(await home.run(["group", "list", "--json"]))).toMatchObject({ total: 5 });
  });

  test("is looked up in the local database by local commands", async ({ home, expect }) => {
    await stock(home);
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:9", SENDCTL_SECRET_KEY: "" };
    expect(await home.run(["local", "contact", "list", "Customers"], env)).toMatchObject({
      exitCode: 0,
    });
    expect(await home.run(["local", "contact", "list", "nobody"], env)).toMatchObject({
      exitCode: 4,
    });
  });

  test("is rejected in a dry run, which reads nothing", async ({ home, expect }) => {
    await stock(home);
    const dry = await home.run(["group", "delete", "Customers", "--dry-run"]);
    expect(dry).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("group update without options", () => {
  const args = ["group", "update", "Customers", "--json"];
  const json = { stdoutIsTerminal: false };

  test("asks which fields to change and sends them", async ({ home, expect }) => {
    await stock(home);
    const keys = [
      ["? Fields to change", " "],
      ["◉ Name", "\u001b[B"],
      ["❯◯ Send birthday messages", " "],
      ["◉ Send birthday messages", "\r"],
      ["? Name", "\u0015Clients\r"],
      ["? Send birthday messages", "\u001b[A"],
      ["❯ yes", "\r"],
      ["Send this change to", "y\r"],
    ] as const;
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(dataOf(outcome)).toMatchObject({ id: 1, name: "Clients", send_birthday: true });
  });

  test("clears fields left empty and asks for the sender ID", async ({ home, expect }) => {
    await stock(home);
    await home.run(["sender-id", "create", "ACME", "--purpose", "x"]);
    await home.run(["group", "update", "Customers", "--birthday-message", "Hi"]);
    const keys = [
      ["? Fields to change", "\u001b[A"],
      ["❯◯ Sender ID", " "],
      ["◉ Sender ID", "\u001b[A"],
      ["❯◯ Birthday message", " "],
      ["◉ Birthday message", "\r"],
      ["? Birthday message", "\u0015\r"],
      ["? Sender ID", "\r"],
      ["? Which sender ID?", "\r"],
      ["Send this change to", "y\r"],
    ] as const;
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(contentsOf(home.database)).toMatchObject([
      [{ name: "ACME" }],
      [{ name: "Customers", birthday_message: null, sender_id: 1 }, {}, {}, {}, {}],
    ]);
  });

  test("removes the sender ID, which no response shows", async ({ home, expect }) => {
    await stock(home);
    await home.run(["sender-id", "create", "ACME", "--purpose", "x"]);
    await home.run(["group", "update", "1", "--sender-id", "ACME"]);
    const keys = [
      ["? Fields to change", "\u001b[A"],
      ["❯◯ Sender ID", " "],
      ["◉ Sender ID", "\r"],
      ["? Sender ID", "\u001b[B"],
      ["❯ remove it", "\r"],
      ["Send this change to", "y\r"],
    ] as const;
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(contentsOf(home.database)).toMatchObject([{}, [{ sender_id: null }, {}, {}, {}, {}]]);
  });

  test("asks again after a refusal, with what was entered, and sends nothing unconfirmed", async ({
    home,
    expect,
  }) => {
    await stock(home);
    const long = "x".repeat(256);
    const name = [
      ["? Fields to change", " "],
      ["◉ Name", "\r"],
    ] as const;
    const keys = [
      ...name,
      ["? Name", `\u0015${long}\r`],
      ["Send this change to", "y\r"],
      ["name must have 1 to 255 characters", ""],
      ...name,
      ["? Name", "\u007f\r"],
      ["Send this change to", "n\r"],
    ] as const;
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 130, keysLeft: 0 });
    expect(outcome.stderr.replaceAll(/\s/g, "")).toContain(`name:"Customers"→"${long.slice(1)}"`);
    expect(contentsOf(home.database)).toMatchObject([[], [{ name: "Customers" }, {}, {}, {}, {}]]);
  });

  test("sends nothing if no value was changed", async ({ home, expect }) => {
    await stock(home);
    const keys = [
      ["? Fields to change", " "],
      ["◉ Name", "\r"],
      ["? Name", "\r"],
    ] as const;
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(outcome.stderr).toContain("Nothing to change");
  });
});
