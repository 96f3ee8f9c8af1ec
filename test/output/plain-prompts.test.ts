import { describe } from "vitest";
import { insertGroups, manyGroups, runAtTerminal, test } from "../support/home.ts";

const env = { SENDCTL_ACCESSIBLE: "1" };

describe.concurrent("plain prompts", () => {
  test("take a number as that of a line, and find a record by its id", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(25));
    const deleted = await home.run(["group", "delete", "1", "2", "3", "--yes"]);
    expect(deleted.exitCode).toBe(0);
    /** @param shown what follows, where the command is cancelled */
    const chosen = (typed: string, shown: string) =>
      runAtTerminal(home, ["group", "delete"], {
        env,
        columns: 400,
        keys: [
          ["search: ", `${typed}\n`],
          [shown, "\u001b\n"],
        ],
      });
    // The newest group is the first.
    const second = await chosen("20", "Delete group 6 (Group 5)");
    expect(second).toMatchObject({ keysLeft: 0 });
    expect(second.stderr).toContain("\n1. Group 24 · id 25\n2. Group 23 · id 24\n");
    // No line has these, so they are searched.
    for (const typed of ["25", "id 25"]) {
      const found = await chosen(typed, "1. Group 24 · id 25\n");
      expect(found).toMatchObject({ keysLeft: 0 });
      expect(found.stderr).not.toContain("Delete group");
    }
  });

  test("name the target before the choices", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(1));
    const keys = [
      ["search: ", "1\n"],
      ["(y/N) ", "\n"],
    ] as const;
    const { stderr } = await runAtTerminal(home, ["group", "delete"], { env, keys, columns: 400 });
    const from = `the database ${home.database}`;
    expect(stderr).toBe(
      `→ ${from}\nWhich group? Type to search\n1. Group 0 · id 1\nNumber, name or search: Group 0 · id 1\n` +
        `Delete group 1 (Group 0) and its contacts from ${from}? (y/N) Nothing deleted\n`,
    );
  });

  test("offer none for a field that may be empty, and not for a name", async ({ home, expect }) => {
    await insertGroups(home, [{ name: "Cust", message: "Hello {first_name}" }]);
    const keys = [
      ["commas: ", "1, 4\n"],
      ["Name [Cust]: ", "-\n"],
      [
        "Birthday message, with {first_name} for the name [Hello {first_name}], empty keeps it, - for none: ",
        "-\n",
      ],
      ['name: "Cust" → "-"\n', ""],
      ['birthday_message: "Hello {first_name}" → none\n', ""],
      ["(y/N) ", "y\n"],
    ] as const;
    const ran = await runAtTerminal(home, ["group", "update", "1"], { env, keys, columns: 400 });
    expect(ran).toMatchObject({ exitCode: 0, keysLeft: 0 });
    // Without a message, an empty line is none.
    const again = [
      ["commas: ", "4\n"],
      ["Birthday message, with {first_name} for the name (empty for none): ", "\n"],
      ["Nothing to change", ""],
    ] as const;
    const same = await runAtTerminal(home, ["group", "update", "1"], { env, keys: again });
    expect(same).toMatchObject({ exitCode: 0, keysLeft: 0 });
  });
});
