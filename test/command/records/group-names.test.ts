import { describe } from "vitest";
import { dataOf, insertGroups, runAtTerminal, test, type Home } from "../../support/home.ts";

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
  test("is found on any page", async ({ home, expect }) => {
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      name: `Group ${index}`,
      message: "Hi",
    }));
    await insertGroups(home, rows);
    expect(await idOf(home, "group", "fetch", "Group 0")).toBe(1);
    expect(await idOf(home, "group", "fetch", "Group 2499")).toBe(2500);
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
});
