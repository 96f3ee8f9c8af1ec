import { stripVTControlCharacters } from "node:util";
import { describe } from "vitest";
import {
  errorPrinted,
  contentsOf,
  dataOf,
  runAtTerminal,
  test,
  type Home,
} from "../support/home.ts";

/** Incomplete commands and their errors. */
const incomplete: readonly (readonly [args: string, message: string])[] = [
  [
    "sender-id create ACME",
    'missing required option --purpose TEXT\nhint: sendctl sender-id create ACME --purpose "Order updates"',
  ],
  ["group delete 1", "refusing to delete without confirmation\nhint: pass --yes"],
];

function refusal(message: string) {
  return { exitCode: 2, stdout: "", stderr: `sendctl: ${message}\n` };
}

/** Creates the sender ID ACME and group 1, whose name contains a bidirectional override. */
async function stock(home: Home): Promise<unknown> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Offers"]);
  await home.run(["group", "create", "Friends\u202eemit"]);
  return contentsOf(home.database);
}

describe.concurrent("without a terminal", () => {
  test.for([
    ["a closed stdin", "<&-"],
    ["/dev/null", "</dev/null"],
    ["a pipe full of answers", "< <(yes)"],
    ["an idle pipe", ""],
  ])("a process refuses it at once with %s", async ([, redirection], { home, expect }) => {
    const before = await stock(home);
    for (const [args, message] of incomplete) {
      const outcome = await home.shell(`sendctl ${args} ${redirection}`, "pipe");
      expect(outcome).toStrictEqual(refusal(message));
    }
    expect(contentsOf(home.database)).toStrictEqual(before);
  });
});

describe("at a terminal without questions", () => {
  const reasons: readonly (readonly [what: string, terminal: object, option?: string])[] = [
    ["CI=true", { env: { CI: "true" } }],
    ["CI=1", { env: { CI: "1" } }],
    ["SENDCTL_NO_INPUT", { env: { SENDCTL_NO_INPUT: "1" } }],
    ["--no-input", {}, "--no-input"],
    ["stdin not being a terminal", { stdinIsTerminal: false }],
    ["stderr not being a terminal", { stderrIsTerminal: false }],
  ];
  for (const [what, terminal, option] of reasons) {
    test(`refuses missing input because of ${what}`, async ({ home, expect }) => {
      const before = await stock(home);
      for (const [args, message] of incomplete) {
        const words = [...args.split(" "), ...(option === undefined ? [] : [option])];
        const { keysLeft: _, ...outcome } = await runAtTerminal(home, words, terminal);
        expect(outcome).toStrictEqual(refusal(message));
      }
      expect(contentsOf(home.database)).toStrictEqual(before);
    });
  }

  for (const env of [{ CI: "" }, { CI: "false" }, { CI: "0" }, { SENDCTL_NO_INPUT: "0" }]) {
    test(`asks for missing input despite ${JSON.stringify(env)}`, async ({ home, expect }) => {
      const keys = [["Name of the group", "Friends\r"]] as const;
      const outcome = await runAtTerminal(home, ["group", "create"], { env, keys });
      expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    });
  }
});

describe("a command asks on stderr for", () => {
  const json = { stdoutIsTerminal: false };

  test("another status than those that are known", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "ACME", "--purpose", "Offers"]);
    const keys = [
      ["? Status to wait for", "another"],
      ["❯ Another status", "\r"],
      ["? Status to wait for", "pending\r"],
    ] as const;
    const args = ["sender-id", "wait", "ACME", "--json"];
    const outcome = await runAtTerminal(home, args, { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(dataOf(outcome)).toMatchObject({ status: "PENDING" });
  });

  test("a message with an unknown placeholder again, or keeps it", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const keys = [
      ["Fields to change", "\u001b[A\u001b[A \r"],
      ["? Birthday message", "Hi {name}\r"],
      ["Unknown placeholder {name}", "Use"],
      ["❯ Use this message", "\r"],
      ["Send this change", "y\r"],
    ] as const;
    const args = ["group", "update", "1", "--json"];
    const outcome = await runAtTerminal(home, args, { ...json, columns: 300, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(dataOf(outcome)).toMatchObject({ birthday_message: "Hi {name}" });
  });

  test("the name of a group, until it is not empty", async ({ home, expect }) => {
    const keys = [
      ["? Name of the group", "\r"],
      ["You must provide a value", "Friends 🎉\r"],
    ] as const;
    const outcome = await runAtTerminal(home, ["group", "create", "--json"], { ...json, keys });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(dataOf(outcome)).toMatchObject({ name: "Friends 🎉" });
  });

  for (const [args, question, answer, choice] of [
    ["sender-id fetch", "? Which sender ID?", "ACME", "ACME ·"],
    ["sender-id delete --yes", "? Which sender ID?", "ACME", "ACME ·"],
    ["group fetch", "? Which group?", "1", String.raw`Friends\u202eemit · id 1`],
    ["group update --name New", "? Which group?", "1", String.raw`Friends\u202eemit · id 1`],
    ["group delete --yes", "? Which group?", "1", String.raw`Friends\u202eemit · id 1`],
  ] as const) {
    test(`the key of ${args}`, async ({ home, expect }) => {
      await stock(home);
      const keys = [
        [question, answer],
        [choice, "\r"],
      ] as const;
      const outcome = await runAtTerminal(home, [...args.split(" "), "--json"], { ...json, keys });
      expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
      // The answer is beside its question.
      const shown = stripVTControlCharacters(outcome.stderr);
      expect(shown).toContain(`✔ ${question.slice(2)} Type to search ${choice}`);
      const direct = await home.run([...args.split(" "), answer, "--json"]);
      const isDeleted = args.includes("delete");
      expect(direct.exitCode).toBe(isDeleted ? 4 : 0);
      if (!isDeleted) expect(outcome.stdout).toBe(direct.stdout);
    });
  }
});

describe("the confirmation of a delete", () => {
  // The question names the target, a path that is wider than the terminal.
  const group = String.raw`? Delete group 1 (Friends\u202eemit) and its contacts from the `;
  const sender = "? Delete sender ID ACME (PENDING, used by 0 groups) from the ";

  for (const keys of ["Y\r", "yes\r"]) {
    test(`is given by ${JSON.stringify(keys)}`, async ({ home, expect }) => {
      await stock(home);
      const first = await runAtTerminal(home, ["group", "delete", "1"], { keys: [[group, keys]] });
      expect(first).toMatchObject({ exitCode: 0, stdout: "", keysLeft: 0 });
      expect(first.stderr.endsWith("emit (id 1) deleted\n")).toBe(true);
      const args = ["sender-id", "delete", "ACME"];
      const second = await runAtTerminal(home, args, { keys: [[sender, keys]] });
      expect(second).toMatchObject({ exitCode: 0, stdout: "", keysLeft: 0 });
      expect(second.stderr.endsWith("Sender ID ACME deleted\n")).toBe(true);
      expect(contentsOf(home.database)).toStrictEqual([[], []]);
    });
  }

  for (const keys of ["\r", "no\r"]) {
    test(`is declined by ${JSON.stringify(keys)}`, async ({ home, expect }) => {
      const before = await stock(home);
      const first = await runAtTerminal(home, ["group", "delete", "1"], { keys: [[group, keys]] });
      expect(first).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
      expect(first.stderr.endsWith("Nothing deleted\n")).toBe(true);
      const args = ["sender-id", "delete", "ACME", "--json"];
      const second = await runAtTerminal(home, args, { keys: [[sender, keys]] });
      const { json } = errorPrinted("cancelled", "Nothing deleted");
      expect(second).toMatchObject({ exitCode: 130, stdout: json, keysLeft: 0 });
      expect(contentsOf(home.database)).toStrictEqual(before);
    });
  }

  test("repeats the question after an invalid answer", async ({ home, expect }) => {
    const before = await stock(home);
    const keys = [
      [group, "what?\r"],
      ['You must answer with "Yes" or "No"', "\u0015no\r"],
    ] as const;
    const outcome = await runAtTerminal(home, ["group", "delete", "1"], { keys });
    expect(outcome).toMatchObject({ exitCode: 130, keysLeft: 0 });
    expect(contentsOf(home.database)).toStrictEqual(before);
  });
});

describe("cancelling", () => {
  const questions: readonly (readonly [args: string, question: string])[] = [
    ["sender-id create", "Name of the sender ID"],
    ["sender-id create X", "? Purpose"],
    ["sender-id delete ACME", "Delete sender ID ACME"],
    ["group create", "Name of the group"],
    ["group update", "Which group?"],
    ["group delete", "Which group?"],
    ["group delete 1", "Delete group 1"],
  ];
  test.for(questions)("%s ends with 130", async ([args, question], { home, expect }) => {
    const before = await stock(home);
    // Ctrl-C, Ctrl-D and Escape.
    for (const key of ["\u0003", "\u0004", "\u001b"]) {
      const outcome = await runAtTerminal(home, args.split(" "), { keys: [[question, key]] });
      expect(outcome).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
      const shown = stripVTControlCharacters(outcome.stderr);
      expect(shown).toContain(question);
      expect(shown.split("\n").slice(-2)).toStrictEqual(["Cancelled", ""]);
    }
    expect(contentsOf(home.database)).toStrictEqual(before);
  });
});
