import { describe } from "vitest";
import { errorOf, test } from "../../support/home.ts";

/** Words of other tools, and our hint for each. */
const hints: readonly (readonly [line: string, hint: string])[] = [
  ["export out.yaml", "sendctl export > out.yaml"],
  ["group list surplus", "sendctl group list --help"],
  ["group create My Friends", "quote text"],
  ["group list -n 5", "--limit"],
  ["group delete 1 --force", "--yes"],
  ["login --token x", "SENDCTL_SECRET_KEY"],
  ["--context prod group list", "--profile"],
  ["group edit 3 --birthday Hi", "did you mean --send-birthday or --birthday-message?"],
  ["local contact add 1 +4915112345678 --name Ada", "did you mean --first-name?"],
  ["group list --limit", "sendctl group list --help"],
  ["group help", "sendctl group --help"],
  ["group update 1 --send-birthday=false", "did you mean --send-birthday or --no-send-birthday?"],
  ["group create A --send-birthday false", "write --send-birthday or --no-send-birthday"],
  ["group create", "sendctl group create Customers"],
  ["sender-id create ACME", "sendctl sender-id create ACME --purpose"],
  ["local approve ACME", "sendctl local review ACME --status APPROVED"],
  ["local reject ACME", "sendctl local review ACME --status REJECTED"],
  ["group list --sort -name", "write --sort name:desc"],
  ["group list --sort=-Contacts", "write --sort contacts_count:desc"],
  ["api group", "sendctl api GET /v1/group"],
  ["api /v1/group", "sendctl api GET /v1/group"],
  ["api GET sender-id", "sendctl api GET /v1/sender-id"],
  ["api /v1/group GET", "sendctl api GET /v1/group"],
  ["api GET https://sms.example.com/v1/group", "sendctl api GET /v1/group"],
  ["-v", "did you mean --version?"],
];

/** Command lines of other tools, and our command for each. */
const suggestions: readonly (readonly [typed: string, command: string])[] = [
  ["auth login", "login"],
  ["auth status", "profile show"],
  ["profile switch prod", "profile use prod"],
  ["ls", "group list"],
  ["signin", "login"],
  ["logs", "local log"],
  ["add group X", "group create"],
  ["config", "profile show"],
  ["rollback", "undo"],
  ["sender-id update ACME", "apply --replace"],
  ["sender-id approve ACME", "local review ACME --status APPROVED"],
  ["sender-id new ACME", "sender-id create"],
  ["group add X", "group create"],
  ["whoami", "profile show"],
  ["get groups", "group list"],
  ["keys list", "local key"],
  ["backup now.db", "local backup"],
  ["plan -f x.yaml", "diff"],
  ["group search Old", "group list --search Old"],
  ["find Old", "group list --search Old"],
  ["list customers", "group list --search customers"],
  ["use prod", "profile use prod"],
  ["get group 3", "group fetch"],
  ["describe sender-id ACME", "sender-id fetch"],
  ["edit group 3", "group update"],
  ["create group X", "group create"],
  ["remove groups 3 4", "group delete"],
  ["group describe 3", "group fetch"],
  ["group delte 3", "group delete"],
  ["local key delete 1", "local key revoke"],
  ["local contact new 1 +4915112345678", "local contact add"],
];

describe.concurrent("words of other tools", () => {
  const commandHints = suggestions.map(
    ([line, command]) => [line, `did you mean sendctl ${command}?`] as const,
  );
  for (const [line, hint] of [...hints, ...commandHints]) {
    test(`${line} has a hint`, async ({ home, expect }) => {
      const ran = await home.run(line.split(" "), { SENDCTL_OUTPUT: "json" });
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran)).toMatchObject({ kind: "usage" });
      expect(errorOf(ran).hint).toContain(hint);
    });
  }

  for (const [line, message] of [
    ["completion tcsh", 'invalid shell "tcsh" for SHELL'],
    ["group list customers", "group list takes no name; to search: --search customers"],
    ["completion", "missing required argument SHELL (bash, zsh, fish or powershell)"],
    ["local info now", "local info takes no arguments"],
  ] as const) {
    test(`${line} has a message of ours`, async ({ home, expect }) => {
      const ran = await home.run([...line.split(" "), "--json"]);
      expect([ran.exitCode, errorOf(ran)]).toMatchObject([2, { kind: "usage", message }]);
    });
  }

  test("a command without --yes has no hint for --force", async ({ home, expect }) => {
    const ran = await home.run(["group", "fetch", "1", "--force", "--json"]);
    expect(errorOf(ran).hint).not.toContain("--yes");
  });
});

describe.concurrent("a guess never deletes or removes:", () => {
  for (const line of [
    "rollout",
    "layout",
    "auth status",
    "group reset",
    "group deploy",
    "local prune",
    "local stock",
    "apply --purge",
    "group update 1 --message",
  ]) {
    test(line, async ({ home, expect }) => {
      const { hint } = errorOf(await home.run([...line.split(" "), "--json"]));
      expect(hint).not.toMatch(/delete|logout|revoke|reset$|reset or|restore|stop|--prune|--clear/);
    });
  }
});

test("a key that is given to an option of another tool is not shown", async ({ home, expect }) => {
  for (const args of [["--api-key=sk_live_0123"], ["group", "list", "--token=sk_live_0123"]]) {
    const { exitCode, stdout, stderr } = await home.run([...args, "--json"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("a key is never an argument");
    expect(stdout + stderr).not.toContain("sk_live");
  }
});

test("a guess is a slip, not any word", async ({ home, expect }) => {
  for (const line of ["exit", "docs", "browse", "version --client", "group delete Staff --all"]) {
    const { hint } = errorOf(await home.run([...line.split(" "), "--json"]));
    expect(hint, line).toMatch(/^see sendctl (?:version |group delete )?--help$/);
  }
});

describe.concurrent("--help before a command", () => {
  for (const [line, help] of [
    ["--help group", "help group"],
    ["-h sender-id create", "help sender-id create"],
    ["--help exit-codes", "help exit-codes"],
  ] as const) {
    test(`${line} is ${help}`, async ({ home, expect }) => {
      const shown = await home.run(line.split(" "));
      expect(shown).toStrictEqual(await home.run(help.split(" ")));
      expect(shown.exitCode).toBe(0);
    });
  }
});

describe.concurrent("an alias runs the command:", () => {
  for (const [typed, command] of [
    ["sender-ids ls", "sender-id list"],
    ["groups ls", "group list"],
    ["profiles ls", "profile list"],
    ["local keys ls", "local key list"],
    ["group show 1", "group fetch 1"],
    ["group get 1", "group fetch 1"],
    ["group view 1", "group fetch 1"],
    ["sender-id view x", "sender-id fetch x"],
    ["group remove 1 --yes", "group delete 1 --yes"],
    ["profile remove x --yes", "profile delete x --yes"],
    ["group edit 1 --name x", "group update 1 --name x"],
    ["sender-id show x", "sender-id fetch x"],
    ["version", "--version"],
  ] as const) {
    test(typed, async ({ home, expect }) => {
      const args = ["--output", "jsonl"];
      expect(await home.run([...typed.split(" "), ...args])).toStrictEqual(
        await home.run([...command.split(" "), ...args]),
      );
    });
  }
});
