import stringWidth from "string-width";
import { describe } from "vitest";
import { dataOf, insertGroups, printed, runAtTerminal, test, type Home } from "../support/home.ts";

const plain = { NO_COLOR: "1" };

/** Returns the positions of the vertical bars of a table line, in terminal columns. */
function barsOf(line: string): number[] {
  return [...line.matchAll(/[┌┬┐├┼┤└┴┘│]/g)].map(({ index }) => stringWidth(line.slice(0, index)));
}

/** Splits output into tables, each an array of lines. */
function tablesOf(stdout: string): string[][] {
  return stdout
    .split(/^(?=┌)/m)
    .filter((block) => block !== "")
    .map((block) => block.trimEnd().split("\n"));
}

/** Returns the layout problems of output at a terminal. */
function layoutProblems(stdout: string, columns: number): string[] {
  const tables = tablesOf(stdout);
  if (tables.length === 0) return ["missing table"];
  return tables.flatMap((lines) => {
    const bars = barsOf(lines[0]!).join();
    const ends = lines[0]!.startsWith("┌") && lines.at(-1)!.startsWith("└");
    return [
      ...(ends ? [] : ["a table has no border"]),
      ...lines.filter((line) => stringWidth(line) > columns).map((line) => `too wide: ${line}`),
      ...lines.filter((line) => barsOf(line).join() !== bars).map((line) => `misaligned: ${line}`),
    ];
  });
}

/** Joins the lines of a wrapped cell. */
function valueOf(table: readonly string[], label: string): string {
  const first = table.findIndex((line) => line.startsWith(`│ ${label} `));
  const values = table.slice(first).map((line) => line.split("│").map((cell) => cell.trim()));
  const next = values.findIndex(([, name], index) => index > 0 && name !== "");
  return values
    .slice(0, next < 0 ? -1 : next)
    .map(([, , value]) => value)
    .join("");
}

function withoutSpaces(text: string): string {
  return text.replaceAll(" ", "");
}

const names = [
  "Customers",
  "日本語のとても長い名前のグループ",
  "👩‍👩‍👧‍👦 family 🇩🇪🏳️‍🌈",
  "Cafe\u0301 ｆｕｌｌ ｗｉｄｔｈ",
  "שלום עולם",
  "x",
  "a very long name ".repeat(14).trim(),
];
const message = "Happy 🎂 birthday, {first_name}! 誕生日おめでとう "
  .repeat(10)
  .slice(0, 400)
  .trim();

async function stock(home: Home): Promise<void> {
  await insertGroups(
    home,
    names.map((name, index) => ({ name, message: index % 2 === 0 ? message : "Hi" })),
  );
  for (const name of names) {
    await runAtTerminal(home, ["sender-id", "create", name, "--purpose", message, "-q"]);
  }
}

describe("at a terminal", () => {
  for (const columns of [40, 80, 200]) {
    test(`of ${columns} columns every table is aligned`, async ({ home, expect }) => {
      await stock(home);
      const commands = [
        ["group", "list"],
        ["group", "list", "--all", "--per-page", "2"],
        ["sender-id", "list"],
        ...names.map((_, index) => ["group", "fetch", String(index + 1)]),
        ["sender-id", "fetch", names[1]!],
        ["group", "update", "1", "--send-holiday"],
        ["group", "create", names[2]!],
      ];
      for (const args of commands) {
        const { stdout, exitCode } = await runAtTerminal(home, args, { columns, env: plain });
        expect({ args, exitCode, faults: layoutProblems(stdout, columns) }).toStrictEqual({
          args,
          exitCode: 0,
          faults: [],
        });
        expect(stdout.endsWith("┘\n")).toBe(true);
      }
    });

    test(`of ${columns} columns a record is complete`, async ({ home, expect }) => {
      await stock(home);
      for (const [index, name] of names.entries()) {
        const args = ["group", "fetch", String(index + 1)];
        const { stdout } = await runAtTerminal(home, args, { columns, env: plain });
        const [table] = tablesOf(stdout);
        expect(withoutSpaces(valueOf(table!, "Name"))).toBe(withoutSpaces(name));
        const whole = index % 2 === 0 ? message : "Hi";
        expect(withoutSpaces(valueOf(table!, "Birthday message"))).toBe(withoutSpaces(whole));
      }
    });

    test(`of ${columns} columns a list has every record, and marks cut texts`, async ({
      home,
      expect,
    }) => {
      await stock(home);
      const { stdout } = await runAtTerminal(home, ["group", "list"], { columns, env: plain });
      for (const [index, name] of names.entries()) {
        const shown = stdout.split("\n").filter((line) => line.includes(name.slice(0, 4)));
        expect(shown.length, name).toBeGreaterThan(0);
        expect(stdout).toMatch(new RegExp(`│ +(ID +│ )?${index + 1} +│`));
      }
      // The message is too long for every width: it is cut with a mark, wrapped or omitted.
      for (const line of stdout.split("\n").filter((line) => line.includes("Happy"))) {
        expect(tablesOf(stdout).length > 1 || line.includes("…")).toBe(true);
      }
    });
  }
});

describe("a control sequence in a record", () => {
  const evil =
    "\u001b]0;title\u0007\u009b31m\u001b[2J\rover\nnext\ttab\u007f\u202egnirts\u2066x\u2069\u2028y";
  const shown =
    String.raw`\u001b]0;title\u0007\u009b31m\u001b[2J\rover\nnext\ttab\u007f` +
    String.raw`\u202egnirts\u2066x\u2069\u2028y`;
  /** Control characters and bidirectional overrides, except line breaks. */
  const obeyed = /(?!\n)[\p{Cc}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

  const create = ["group", "create", "Name\u202eeman", "--birthday-message", evil];

  test("is escaped in JSON without changing its value", async ({ home, expect }) => {
    await home.run(create);
    for (const args of [
      ["group", "list", "--json"],
      ["group", "fetch", "1", "--json"],
    ]) {
      const terminal = await runAtTerminal(home, args);
      expect(terminal.stdout).not.toMatch(obeyed);
      expect(terminal.stdout).toContain(`"birthday_message": "${shown}"`);
      const piped = await runAtTerminal(home, args, { stdoutIsTerminal: false });
      expect(JSON.parse(terminal.stdout)).toStrictEqual(JSON.parse(piped.stdout));
    }
  });

  test("is unchanged in JSON on a pipe", async ({ home, expect }) => {
    await home.run(create);
    const outcome = await home.run(["group", "fetch", "1", "--json"]);
    expect(dataOf(outcome)).toMatchObject({ name: "Name\u202eeman", birthday_message: evil });
    expect(outcome.stdout).toBe(printed(JSON.parse(outcome.stdout)));
    expect(outcome.stdout).toContain("\u202egnirts\u2066x\u2069\u2028y");
  });
});
