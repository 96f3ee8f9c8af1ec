import { describe } from "vitest";
import { contentsOf, dataOf, test } from "../support/home.ts";

/** Names that a parser, table or terminal could corrupt. The contract suite has those that a URL or database could. */
const accepted: readonly (readonly [what: string, name: string])[] = [
  ["emoji of several code points", "👩‍👩‍👧‍👦🇩🇪🏳️‍🌈"],
  ["wide characters", "日本語ショップ"],
  ["text from right to left", "שלום עולם مرحبا"],
  ["a bidirectional override", "a\u202eb\u2066c"],
  ["a combining accent", "Cafe\u0301"],
  ["an accented letter", "Caf\u00e9"],
  ["255 emoji", "🎉".repeat(255)],
  ["quotes", `"double" 'single' \`back\` $HOME \\n`],
  ["a leading dash", "-odd"],
  ["an option", "--yes"],
  ["the end of options", "--"],
  ["a dash", "-"],
  ["wildcards of SQL and the shell", "%_*'; DROP TABLE sender_id; --"],
  ["a number", "0"],
];

const rejected: readonly (readonly [what: string, name: string, error: string])[] = [
  ["an empty text", "", "must have 1 to 255 characters"],
  ["a dot", ".", `must not be ".", which a URL path cannot contain`],
  ["two dots", "..", `must not be "..", which a URL path cannot contain`],
  ["a newline", "a\nb", "must not contain control characters"],
  ["a control character of eight bits", "a\u009b31m", "must not contain control characters"],
  ["a space", " ", "must not begin or end with white space"],
];

describe.concurrent("the name of a sender ID", () => {
  for (const [what, name] of accepted) {
    test(`can be ${what}`, async ({ home, expect }) => {
      // The argument `-` reads names from standard input, so it has the same name there.
      const sendctl = (...args: string[]) =>
        home.run(["sender-id", "--json", ...args, "--", name], {}, `${name}\n`);
      const created = await sendctl("create", "--purpose", name);
      expect(created.exitCode).toBe(0);
      expect(dataOf(created)).toMatchObject({ name, purpose: name });

      const fetched = await sendctl("fetch");
      const { data = dataOf(fetched) } = dataOf(fetched) as { data?: unknown };
      expect(data).toStrictEqual(name === "-" ? [dataOf(created)] : dataOf(created));

      const listed = await home.run(["sender-id", "list", "--json"]);
      expect(dataOf(listed)).toMatchObject({ data: [dataOf(created)], total: 1 });

      const taken = await sendctl("create", "--purpose", "x");
      expect(taken).toMatchObject({ exitCode: 5 });

      expect(await sendctl("delete", "--yes")).toMatchObject({
        exitCode: 0,
        stderr: name === "-" ? "1 sender ID deleted\n" : "",
      });
      const missing = await sendctl("fetch");
      expect(missing.exitCode).toBe(4);
      // The error has the name verbatim, unless it affects a terminal.
      const shown = name.includes("\u202e") ? String.raw`a\u202eb\u2066c` : name;
      const error = `sendctl: Sender ID not found: ${shown} (not_found, database ${home.database})\n`;
      expect(missing.stderr.startsWith(error)).toBe(true);
    });
  }

  test("differs by the composition of an accent", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "Cafe\u0301", "--purpose", "x"]);

    expect(await home.run(["sender-id", "fetch", "Caf\u00e9"])).toMatchObject({ exitCode: 4 });
  });
});

describe.concurrent("the name of a group", () => {
  for (const [what, name] of accepted) {
    test(`can be ${what}`, async ({ home, expect }) => {
      const created = await home.run(["group", "create", "--json", "--", name]);
      expect(created).toMatchObject({ exitCode: 0, stderr: "" });
      expect(dataOf(created)).toMatchObject({ id: 1, name });

      const given = [`--name=${name}`, `--birthday-message=${name}`];
      const updated = await home.run(["group", "update", "1", "--json", ...given]);
      expect(dataOf(updated)).toStrictEqual({
        ...(dataOf(created) as object),
        birthday_message: name,
      });

      const fetched = await home.run(["group", "fetch", "1", "--json"]);
      expect(dataOf(fetched)).toStrictEqual(dataOf(updated));
      const listed = await home.run(["group", "list", "--json"]);
      expect(dataOf(listed)).toMatchObject({ data: [dataOf(updated) as object], total: 1 });
    });
  }
});

describe.concurrent("a name", () => {
  for (const [what, name, error] of rejected) {
    test(`cannot be ${what}`, async ({ home, expect }) => {
      for (const command of [
        ["group", "create"],
        ["sender-id", "create", "--purpose", "x"],
      ]) {
        const args = [...command, "--json", "--", name];
        const { exitCode, stdout, stderr } = await home.run(args);
        expect(JSON.parse(stdout)).toMatchObject({ status: false, errors: { name: [error] } });
        expect(stderr).toBe(
          `sendctl: The request is invalid: name ${error} (invalid, database ${home.database})\n`,
        );
        expect(exitCode).toBe(6);
      }
      expect(contentsOf(home.database)).toBeUndefined();
    });
  }
});

describe.concurrent("a name in an error", () => {
  test("is escaped if it has terminal control characters", async ({ home, expect }) => {
    const name = "\u001b]0;title\u0007\u009b2J\u202egnirts\u2028x";
    const { stderr, exitCode } = await home.run(["sender-id", "fetch", name]);

    const shown = String.raw`\u001b]0;title\u0007\u009b2J\u202egnirts\u2028x`;
    expect(stderr).toBe(
      `sendctl: Sender ID not found: ${shown} (not_found, database ${home.database})\n`,
    );
    expect(exitCode).toBe(4);
  });
});
