import { describe, vi } from "vitest";
import { dataOf, runAtTerminal, test } from "../../support/home.ts";

// Each test starts processes, and a machine may have others to run.
vi.setConfig({ testTimeout: 60_000 });

const message = "Happy birthday, {first_name}!";

describe.concurrent("group preview", () => {
  test("shows a group's message as a member gets it", async ({ home, expect }) => {
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

  test("shows a text without a group, and touches no database", async ({ home, expect }) => {
    const args = ["group", "preview", "--birthday-message", "{nick} “hi”", "--json"];
    const shown = await home.run(args);
    expect(shown.exitCode).toBe(0);
    expect(shown.stderr).toMatch(/^Warning: \{nick\} is no placeholder that sendctl knows/);
    expect(dataOf(shown)).toMatchObject({
      group_id: null,
      encoding: "UCS-2",
      ucs2_characters: ["“", "”"],
      unknown_placeholders: ["{nick}"],
    });
    const { stdout } = await home.shell(`ls -A "$XDG_DATA_HOME" 2>/dev/null`);
    expect(stdout).toBe("");
  });

  test("tells of a group without a message, and succeeds", async ({ home, expect }) => {
    await home.run(["group", "create", "Quiet"]);
    const line = "Group Quiet has no birthday message: its contacts are sent none\n";
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
    [["7"], 4, "sendctl: Group not found: 7 (HTTP 404, not_found)\n"],
    [["--birthday-message", ""], 2, "sendctl: --birthday-message is empty\nhint: pass a text\n"],
    [
      [".."],
      2,
      'sendctl: no URL can carry ".." as GROUP\nhint: use a key other than . and .., and not empty\n',
    ],
  ])("%j is refused", async ([args, exitCode, stderr], { home, expect }) => {
    expect(await home.run(["group", "preview", ...args])).toStrictEqual({
      exitCode,
      stdout: "",
      stderr,
    });
  });

  test("is refused a text that no phone would take", async ({ home, expect }) => {
    const args = ["group", "preview", "--birthday-message", "a".repeat(10_001)];
    const refused = await home.run(args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toMatch(/too long to preview/);
  });

  test("shows nothing raw that a terminal would obey", async ({ home, expect }) => {
    const text = "\u001b[31m{\u001b[0m}\u202e";
    const args = ["group", "preview", "--no-color", "--birthday-message", text];
    const { exitCode, stdout, stderr } = await runAtTerminal(home, args);
    expect(exitCode).toBe(0);
    for (const obeyed of ["\u001b", "\u202e"]) expect(stdout + stderr).not.toContain(obeyed);
  });
});

describe.concurrent("create and update", () => {
  const long = `${"0123456789".repeat(7)}’`;
  const cost = /^Warning: the message costs 2 SMS segments .*: ’ U\+2019 can't be sent in GSM-7, /m;

  test("warn once of what a message costs, after it is stored", async ({ home, expect }) => {
    const created = await home.run(["group", "create", "A", "--birthday-message", `{x}${long}`]);
    expect(created.exitCode).toBe(0);
    expect(created.stderr).toMatch(cost);
    expect(created.stderr.match(/^Warning: /gm)).toHaveLength(2);
    const updated = await home.run(["group", "update", "1", "--birthday-message", long]);
    expect(updated.stderr).toMatch(cost);
    expect(updated.stderr.match(/^Warning: /gm)).toHaveLength(1);
  });

  test("count the name, not its placeholder", async ({ home, expect }) => {
    const fits = `{first_name}${"a".repeat(157)}`;
    const created = await home.run(["group", "create", "A", "--birthday-message", fits]);
    expect(created.stderr).toBe("Group created\n");
    const over = await home.run(["group", "create", "A", "--birthday-message", `${fits}a`]);
    expect(over.stderr).toBe(
      "Warning: the message costs 2 SMS segments a member (named Ada)\nGroup created\n",
    );
  });

  test("warn of nothing that was refused, unasked or unwanted", async ({ home, expect }) => {
    const refused = await home.run(["group", "update", "9", "--birthday-message", `{x}${long}`]);
    expect(refused.stderr).toBe("sendctl: Group not found: 9 (HTTP 404, not_found)\n");
    const args = ["group", "create", "A", "--birthday-message", `{x}${long}`];
    expect((await home.run([...args, "--quiet"])).stderr).toBe("");
    expect((await home.run([...args, "--dry-run"])).stderr).toBe("");
    expect((await home.run(["group", "update", "1", "--name", "B"])).stderr).toBe(
      "Group updated\n",
    );
  });
});
