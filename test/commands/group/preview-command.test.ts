import { describe } from "vitest";
import { dataOf, runAtTerminal, test, normalised } from "../../support/home.ts";

const message = "Happy birthday, {first_name}!";

describe.concurrent("group preview", () => {
  test("shows a group's message as a contact receives it", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends", "--birthday-message", message]);
    const shown = await home.run(["group", "preview", "1", "--first-name", "Zoë"]);
    expect(shown).toMatchObject({ exitCode: 0, stderr: "Preview\n" });
    expect(shown.stdout).toMatch(/^Message +Happy birthday, Zoë!$/m);
    expect(shown.stdout).toMatch(/^Encoding +UCS-2$/m);
    expect(shown.stdout).toMatch(/^Segments +1$/m);
    expect(shown.stdout).toMatch(/^Force UCS-2 +ë U\+00EB$/m);
    const json = await home.run(["group", "preview", "1", "--json"]);
    expect(json.stdout).toMatch(/^\{\n {2}"status": true,\n {2}"message": "Preview",\n/);
    expect(dataOf(json)).toStrictEqual({
      group_id: 1,
      group: "Friends",
      first_name: "Ada",
      birthday_message: message,
      message: "Happy birthday, Ada!",
      encoding: "GSM-7",
      characters: 20,
      units: 20,
      segments: 1,
      ucs2_characters: [],
      unknown_placeholders: [],
    });
  });

  test("previews a text without a group or a database", async ({ home, expect }) => {
    const args = ["group", "preview", "--birthday-message", "{nick} “hi”", "--json"];
    const shown = await home.run(args);
    expect(shown.exitCode).toBe(0);
    expect(shown.stderr).toBe("Warning: unknown placeholder {nick}; did you mean {first_name}?\n");
    expect(dataOf(shown)).toMatchObject({
      group_id: null,
      encoding: "UCS-2",
      ucs2_characters: ["“", "”"],
      unknown_placeholders: ["{nick}"],
    });
    const { stdout } = await home.shell(`ls -A "$XDG_DATA_HOME" 2>/dev/null`);
    expect(stdout).toBe("");
  });

  test("reports a group without a message and succeeds", async ({ home, expect }) => {
    await home.run(["group", "create", "Quiet"]);
    const line = "Group Quiet has no birthday message\n";
    expect(await home.run(["group", "preview", "1"])).toStrictEqual({
      exitCode: 0,
      stdout: "",
      stderr: line,
    });
    const json = await home.run(["group", "preview", "1", "--json"]);
    expect(json).toMatchObject({ exitCode: 0, stderr: line });
    expect(dataOf(json)).toMatchObject({ birthday_message: null, message: null, segments: 0 });
  });

  test.for<[args: readonly string[], exitCode: number, stderr: string]>([
    [[], 2, "sendctl: missing required argument GROUP or --birthday-message TEXT\n"],
    [["7"], 4, "sendctl: Group not found: 7 (not_found)\n"],
    [["--birthday-message", ""], 2, "sendctl: --birthday-message is empty\nhint: pass a text\n"],
    [
      [".."],
      2,
      'sendctl: invalid GROUP ".."\nhint: it is part of a URL, so it cannot be empty, . or ..\n',
    ],
  ])("rejects %j", async ([args, exitCode, stderr], { home, expect }) => {
    const refused = await home.run(["group", "preview", ...args]);
    expect(normalised(refused)).toStrictEqual({ exitCode, stdout: "", stderr });
  });

  test("rejects a text longer than phones accept", async ({ home, expect }) => {
    const args = ["group", "preview", "--birthday-message", "a".repeat(10_001)];
    const refused = await home.run(args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toMatch(/too long to preview/);
  });

  test("escapes terminal control characters", async ({ home, expect }) => {
    const text = "\u001b[31m{\u001b[0m}\u202e";
    const args = ["group", "preview", "--no-color", "--birthday-message", text];
    const { exitCode, stdout, stderr } = await runAtTerminal(home, args);
    expect(exitCode).toBe(0);
    for (const raw of ["\u001b", "\u202e"]) expect(stdout + stderr).not.toContain(raw);
  });
});

describe.concurrent("create and update", () => {
  const long = `${"0123456789".repeat(7)}’`;
  const cost = /^Warning: the message costs 2 SMS segments .*: ’ U\+2019 requires UCS-2, /m;

  test("warn once about the cost of a message after storing it", async ({ home, expect }) => {
    const created = await home.run(["group", "create", "A", "--birthday-message", `{x}${long}`]);
    expect(created.exitCode).toBe(0);
    expect(created.stderr).toMatch(cost);
    expect(created.stderr.match(/^Warning: /gm)).toHaveLength(2);
    const updated = await home.run(["group", "update", "1", "--birthday-message", long]);
    expect(updated.stderr).toMatch(cost);
    expect(updated.stderr.match(/^Warning: /gm)).toHaveLength(1);
  });

  test("count the first name instead of its placeholder", async ({ home, expect }) => {
    const fits = `{first_name}${"a".repeat(157)}`;
    const created = await home.run(["group", "create", "A", "--birthday-message", fits]);
    expect(created.stderr).toBe("Group A (id 1) created\n");
    const over = await home.run(["group", "create", "A", "--birthday-message", `${fits}a`]);
    expect(over.stderr).toBe(
      "Warning: the message costs 2 SMS segments per contact (for the first name Ada)\nGroup A (id 2) created\n",
    );
  });

  test("do not warn if nothing is stored, or with --quiet", async ({ home, expect }) => {
    const refused = await home.run(["group", "update", "9", "--birthday-message", `{x}${long}`]);
    expect(refused.stderr).toBe(
      `sendctl: Group not found: 9 (not_found, database ${home.database})\n`,
    );
    const args = ["group", "create", "A", "--birthday-message", `{x}${long}`];
    expect((await home.run([...args, "--quiet"])).stderr).toBe("");
    expect((await home.run([...args, "--dry-run"])).stderr).not.toContain("Warning");
    expect((await home.run(["group", "update", "1", "--name", "B"])).stderr).toBe(
      "Group B (id 1) updated\n",
    );
  });
});
