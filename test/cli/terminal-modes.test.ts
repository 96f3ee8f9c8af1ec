import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { startService } from "../../src/testing/testing.ts";
import { dataOf, test } from "../support/home.ts";
import { hasTerminal, runOnTerminal, type Steps } from "../support/pseudo-terminal.ts";

const escape = "\u001b";

/** What shows something that a key or a signal can end, and what it shows. */
const shown = {
  "a text": [["sender-id", "create"], "Name of the sender ID"],
  "a secret": [["login", "--profile", "p", "--base-url", "https://a.example"], "ey"],
  "a choice": [["completion"], "Which shell"],
  "the menu": [[], "work with"],
  "a confirmation": [["group", "delete", "1"], "y/N"],
  "a list that is repeated": [["group", "list", "--watch", "1s"], "Name"],
  "a pager": [["group", "list", "--all"], "Name"],
} as const;

const ends = {
  "Ctrl-C": ["\u0003", 130],
  "Ctrl-D": ["\u0004", 130],
  "Ctrl-\\": ["\u001c", 131],
  SIGINT: ["SIGINT", 130],
  SIGTERM: ["SIGTERM", 143],
  SIGHUP: ["SIGHUP", 129],
} as const;

const isNoEnd = (name: string, key: string, isPlain: boolean): boolean =>
  // They scroll, or are not read. Plain prompts end by every signal as by SIGTERM.
  (key === "Ctrl-D" && ["a list that is repeated", "a pager"].includes(name)) ||
  (isPlain && ["SIGINT", "SIGHUP"].includes(key));

describe.skipIf(!hasTerminal)("the terminal is left as it was found", () => {
  for (const [name, [args, text]] of Object.entries(shown)) {
    for (const isPlain of name === "a pager" ? [false] : [false, true]) {
      test(`by ${name}${isPlain ? ", plain" : ""}`, async ({ home, expect }) => {
        await home.run(["local", "seed", "--groups", "100"]);
        const pager = name === "a pager" ? { PAGER: "less" } : {};
        const env = { ...pager, ...(isPlain ? { SENDCTL_ACCESSIBLE: "1" } : {}) };
        for (const [key, [keys, code]] of Object.entries(ends)) {
          if (isNoEnd(name, key, isPlain)) continue;
          const ran = await runOnTerminal(home, args, [[text, keys]], { env });
          expect({ key, ...ran, output: "" }).toEqual({
            key,
            code,
            isRestored: true,
            output: "",
            left: 0,
          });
          const { output } = ran;
          for (const [on, off] of [
            ["?25l", "?25h"],
            ["?2004h", "?2004l"],
            ["?1049h", "?1049l"],
          ] as const) {
            const isOff =
              output.lastIndexOf(`${escape}[${on}`) <= output.lastIndexOf(`${escape}[${off}`);
            expect({ key, on, isOff }).toEqual({ key, on, isOff: true });
          }
          if (isPlain) expect(output).not.toContain(escape);
        }
      });
    }
  }

  test("by a question that is stopped, which is asked again", async ({ home, expect }) => {
    // A shell with job control, as people have.
    const script = `set -m; "$NODE" "$LAUNCHER" completion; jobs; stty -a; fg; echo "code $?"`;
    for (const [accessible, question] of [
      ["0", "Which shell"],
      ["1", "Number or name: "],
    ] as const) {
      const steps: Steps = [
        [question, "\u001a"],
        [question, "bash\r"],
      ];
      const env = {
        NODE: process.execPath,
        LAUNCHER: join(import.meta.dirname, "../../bin/sendctl.js"),
        SENDCTL_ACCESSIBLE: accessible,
      };
      const argv = ["bash", "-c", script];
      const { output, left } = await runOnTerminal(home, [], steps, { env, argv });
      expect(left).toBe(0);
      expect(output).toMatch(/ icanon /);
      expect(output).toMatch(/complete -o nosort[^]*code 0/);
    }
  });
});

test.skipIf(!hasTerminal)(
  "a secret in plain prompts, once stopped, is asked for again as a whole",
  async ({ home, expect }) => {
    const script = `set -m; "$NODE" "$LAUNCHER" login --profile p --base-url http://127.0.0.1:9; jobs; stty -a; fg`;
    const steps: Steps = [
      ["(it is not shown)", "sk_begun\u001a"],
      ["(it is not shown)", "sk_0123456789abcdef\r"],
    ];
    const env = {
      NODE: process.execPath,
      LAUNCHER: join(import.meta.dirname, "../../bin/sendctl.js"),
      SENDCTL_ACCESSIBLE: "1",
    };
    const { output } = await runOnTerminal(home, [], steps, { env, argv: ["bash", "-c", script] });
    expect(output).toMatch(/ icanon .* echo /s);
    expect(output).toContain("127.0.0.1:9");
    expect(output).not.toContain("invalid");
    expect(output).not.toContain("the key contains");
  },
);

interface Listed<Name extends string> {
  readonly data: readonly Readonly<Record<Name, string>>[];
}

test.skipIf(!hasTerminal)(
  "pasted text with line ends is one answer, and text is kept as it was typed",
  async ({ home, expect }) => {
    const name = "Ünïcode 👩‍👩‍👧 e\u0301 日本 שלום";
    const long = "x".repeat(900);
    for (const accessible of ["0", "1"]) {
      const steps: Steps = [
        ["Name of the group", `${name}\r`],
        ["Group", "\r"],
      ];
      const env = { SENDCTL_ACCESSIBLE: accessible };
      const created = await runOnTerminal(home, ["group", "create"], steps, { env });
      expect(created).toMatchObject({ code: 0, isRestored: true });
      const pasted: Steps = [
        ["Name of the sender ID", `Acme${accessible}\r`],
        ["urpose", `${escape}[200~first\nsecond\r\nthird ${long}${escape}[201~\r`],
      ];
      const ran = await runOnTerminal(home, ["sender-id", "create"], pasted, { env });
      expect(ran).toMatchObject({ code: 0, isRestored: true, left: 0 });
    }
    const groups = dataOf(await home.run(["group", "list", "--json"])) as Listed<"name">;
    expect(groups.data.map((group) => group.name)).toEqual([name, name]);
    const list = dataOf(await home.run(["sender-id", "list", "--json"])) as Listed<"purpose">;
    const purposes = list.data.map(({ purpose }) => purpose);
    expect(purposes).toEqual([`first second third ${long}`, `first second third ${long}`]);
  },
);

test.skipIf(!hasTerminal)("any width shows everything", async ({ home, expect }) => {
  await home.run(["group", "create", "Friends", "--birthday-message", "Happy birthday to you"]);
  for (const columns of [0, 1, 20, 200]) {
    for (const args of [["group", "list"], ["group", "fetch", "1"], []]) {
      const steps: Steps = args.length === 0 ? [["work", "\u0003"]] : [];
      const env = args.length === 0 ? { SENDCTL_ACCESSIBLE: "1" } : {};
      const ran = await runOnTerminal(home, args, steps, { columns, env });
      expect({ columns, args, code: ran.code }).toEqual({
        columns,
        args,
        code: args.length === 0 ? 130 : 0,
      });
      if (columns >= 20) expect(ran.output).toMatch(args.length === 0 ? /group/ : /Friends/);
    }
  }
});

test.skipIf(!hasTerminal)(
  "a session with plain prompts is recorded, and begins as in docs/accessibility.md",
  async ({ home, expect }) => {
    await using service = await startService();
    const session = await readFile(join(import.meta.dirname, "plain-session.txt"), "utf8");
    const page = await readFile(join(import.meta.dirname, "../../docs/accessibility.md"), "utf8");
    const documented = /```text session\n([^]*?)```/.exec(page)![1]!;
    const choice = "Number or name: ";
    const answers: Steps = [
      [choice, "group\r"],
      [choice, "create\r"],
      ["Name of the group", "Customers\r"],
      ["[2]: ", "yes\r"],
      ["none): ", "Happy birthday!\r"],
      [choice, "group\r"],
      [choice, "update\r"],
      ["search: ", "1\r"],
      ["commas: ", "name, 4\r"],
      ["Name", "\r"],
      ["essage", "-\r"],
      ["(y/N) ", "y\r"],
      [choice, "group\r"],
      [choice, "delete\r"],
      ["search: ", "1\r"],
      ["(y/N) ", "y\r"],
      [choice, "login\r"],
      ["[default]: ", "\r"],
      ["Base URL", `${service.url}\r`],
      ["(it is not shown) ", `${service.key}\r`],
      [choice, "quit\r"],
    ];
    const { output, code, left } = await runOnTerminal(home, [], answers, {
      env: { SENDCTL_ACCESSIBLE: "1" },
    });
    const shownText = output
      .replaceAll(/ *\r\n/g, "\n")
      .replace(
        /\n1\. sender-id[^]*?(?=Number or name)/g,
        "\n1. sender-id: Manage sender IDs\n2. group: Manage groups\n…\n",
      )
      .replace(
        /\n1\. create[^]*?(?=Number or name)/g,
        "\n1. create: Create a group\n2. list: List groups\n…\n",
      )
      .replace(/(\nID +1\n)UUID [^]*?\nCreated .*\n/g, "$1…\n")
      .replaceAll(service.url, "https://sms.example.com")
      .replaceAll(home.database, "/home/ada/.local/share/sendctl/sendctl.db");
    expect({ code, left }).toEqual({ code: 0, left: 0 });
    expect(shownText).not.toContain(escape);
    expect(`${shownText.trimEnd()}\n`).toBe(session);
    expect(session.startsWith(documented)).toBe(true);
  },
);

test.skipIf(!hasTerminal)(
  "a choice is also taken by the beginning of its name",
  async ({ home, expect }) => {
    const choice = "Number or name: ";
    const answers: Steps = [
      [choice, "Sender ID\r"],
      [choice, "li\r"],
      [choice, "q\r"],
    ];
    const { output, code, left } = await runOnTerminal(home, [], answers, {
      env: { SENDCTL_ACCESSIBLE: "1" },
    });
    expect([code, left]).toEqual([0, 0]);
    expect(output).toContain("No sender IDs yet");
  },
);
