import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { group, page, senderId } from "../remote/sample-responses.ts";
import { startService } from "../remote/scripted-service.ts";
import { dataOf, insertGroups, launcher, runAtTerminal, test, type Home } from "../support/home.ts";
import { until } from "../support/waiting.ts";

/** What terminals obey: a title, colours, C1, bidirectional overrides, the bell, and the start of the line. */
const danger = "a\u001b]0;x\u0007\u009b2J\u202eb\u2066c\rd\u001b[31me\u0085f\u001b[Kg";

const controls = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Without ends of lines, and without what a prompt sends to move the cursor. */
function rest(text: string, isPrompt = false): string {
  const shown = text.replaceAll(/\r?\n/g, "");
  return isPrompt
    ? shown.replaceAll(new RegExp(String.raw`\u001b\[[\d;?]*[A-Za-ln-z]`, "g"), "")
    : shown;
}

const local = (...args: string[]): readonly string[] => ["--local", ...args];

/** Every place that shows an argument or the name of a file. */
const places: Readonly<Record<string, readonly string[]>> = {
  "an unknown command": [danger],
  "an unknown command of a noun": ["group", danger],
  "help of an unknown command": ["help", danger],
  "help of an unknown command of a noun": ["help", "group", danger],
  "an unknown option": [`--${danger}`],
  "an unknown option of a command": ["group", "list", `--${danger}`],
  "an argument too many": ["group", "list", danger],
  "an invalid number": ["group", "list", "--page", danger],
  "an invalid format": ["group", "list", "--output", danger],
  "an invalid duration": ["group", "list", "--timeout", danger],
  "an invalid base URL": ["group", "list", "--base-url", danger],
  "a base URL with a path": [
    "group",
    "create",
    "A",
    "--base-url",
    `http://127.0.0.1:9/${danger}`,
    "--retries",
    "0",
  ],
  "an unknown profile": ["group", "list", "--profile", danger],
  "a profile to use": ["profile", "use", danger],
  "a profile to show": ["profile", "show", danger],
  "a profile to delete": ["profile", "delete", danger, "--yes"],
  "a profile to make": ["login", "--profile", danger],
  "a database": ["group", "list", "--database", `/nonexistent/${danger}/x.db`],
  "a database to look at": ["local", "info", "--database", danger],
  "a database to check": ["local", "check", "--database", `${danger}.db`],
  "the doctor of a database": ["doctor", "--database", danger],
  "the doctor of a base URL": ["doctor", "--base-url", `http://127.0.0.1:9/${danger}`],
  "a group to fetch": local("group", "fetch", danger),
  "a group to make": local("group", "create", danger),
  "a group to delete": local("group", "delete", danger, "--yes"),
  "a sender ID to make": local("sender-id", "create", danger, "--purpose", danger),
  "a sender ID to fetch": local("sender-id", "fetch", danger),
  "a sender ID to delete": local("sender-id", "delete", danger, "--yes"),
  "a sender ID to wait for": local("sender-id", "wait", danger, "--for", danger),
  "a method": ["api", danger, "/v1/group"],
  "a path": ["api", "GET", danger],
  "a file of a body": ["api", "POST", "/v1/group", "--body-file", danger],
  "a body": local("api", "POST", "/v1/group", "--body", danger),
  "a manifest": local("apply", "--file", danger, "--yes"),
  "a manifest to compare": local("diff", "--file", danger),
  "an integration": ["local", "integration", "create", danger],
  "an integration to delete": ["local", "integration", "delete", danger, "--yes"],
  "a key to make": ["local", "key", "create", "--integration", danger],
  "a key to revoke": ["local", "key", "revoke", danger],
  "a review": ["local", "review", danger, "--status", danger],
  "a backup": ["local", "backup", `/nonexistent/${danger}`],
  "a backup to restore": ["local", "restore", danger, "--yes"],
  "contacts to import": ["local", "contact", "import", "1", danger],
  "a copy": ["local", "copy", "--to", `/nonexistent/${danger}`],
  "birthdays of a day": ["local", "birthdays", "--on", danger],
  "a host to serve": ["serve", "--host", danger],
  "a port to serve": ["serve", "--port", danger],
  "a fault to inject": ["serve", "--fault", danger],
  "a shell to complete in": ["completion", danger],
  "a completion": ["__complete", "--", "sender-id", "fetch", ""],
  "a completion of profiles": ["__complete", "--", "--profile", ""],
  "a dry run of a name": ["group", "create", danger, "--dry-run"],
  "a dry run of a path": ["sender-id", "fetch", danger, "--dry-run"],
  "a dry run of a body": ["api", "POST", "/v1/group", "--body", danger, "--dry-run"],
  "a dry run at a base URL": [
    "group",
    "list",
    "--dry-run",
    "--base-url",
    `https://a.example/${danger}`,
  ],
  "a preview": local("group", "preview", "1", "--birthday-message", danger),
  "the list of groups": local("group", "list"),
  "the list of sender IDs": local("sender-id", "list"),
  "a record": local("group", "fetch", "1"),
  "an export": local("export"),
  "the list of profiles": ["profile", "list"],
  "a profile in use": ["profile", "show", "odd"],
};

const modes: Readonly<Record<string, readonly string[]>> = {
  "as it is": [],
  json: ["--json"],
  "jsonl, debugged": ["--output", "jsonl", "--debug"],
  csv: ["--output", "csv"],
  yaml: ["--output", "yaml"],
  id: ["--output", "id"],
};

/** Records and profiles with such names. */
async function prepare(home: Home): Promise<void> {
  // Today's engine refuses such names; an older database may have them.
  await insertGroups(home, [{ name: danger, message: danger }]);
  await home.run(["sender-id", "create", "ACME", "--purpose", "Tests"]);
  const folder = join(home.folder, ".config", "sendctl");
  await mkdir(folder, { recursive: true });
  // Control characters are refused in a base URL.
  const odd = { baseUrl: "https://a.example/a\u202eb\u2066c", secretKey: "sk_of_profile" };
  const profiles = { [danger]: { mode: "local" }, odd };
  await writeFile(join(folder, "config.json"), JSON.stringify({ profiles }));
}

describe("a terminal gets nothing that it would obey", () => {
  test.for(Object.entries(modes))("%s", async ([, mode], { home, expect }) => {
    await prepare(home);
    const env = { NO_COLOR: "1", SENDCTL_NO_INPUT: "1" };
    for (const [place, args] of Object.entries(places)) {
      const words = args[0] === "__complete" ? args : [...mode, ...args];
      for (const stdoutIsTerminal of [true, false]) {
        const ran = await runAtTerminal(home, words, { env, stdoutIsTerminal });
        expect(ran.exitCode, `${place} ended as a defect: ${ran.stderr}`).not.toBe(1);
        expect(rest(ran.stderr), `stderr of ${place}`).not.toMatch(controls);
        if (stdoutIsTerminal) {
          // The answers to a shell are split at their tabs.
          expect(rest(ran.stdout), `stdout of ${place}`).not.toMatch(controls);
        }
        // An empty list has no ids.
        if (mode.length === 0) expect(ran.stdout + ran.stderr, `output of ${place}`).not.toBe("");
        expect(ran.stderr, `stderr of ${place}`).not.toContain("the config file");
      }
    }
  });

  test("of a dry run, and not of the file it is kept in either", async ({ home, expect }) => {
    for (const mode of [[], ["--json"]]) {
      const args = ["group", "create", danger, "--dry-run", ...mode];
      const ran = await home.run(args);
      const { stdout } = ran;
      expect(rest(stdout)).not.toMatch(controls);
      const curl = mode.length === 0 ? stdout : (dataOf(ran) as { curl: string }).curl;
      const body = /--data-raw '(.*)'$/m.exec(curl)?.[1];
      expect(JSON.parse(body!)).toMatchObject({ name: danger });
    }
  });

  test("of a service, its messages and its headers", async ({ home, expect }) => {
    const said = { ...group, ...senderId, name: danger, [danger]: [danger] };
    const service = await startService(({ target }, { respond }) => {
      const data = target.includes("?") || target.endsWith("group") ? page([said]) : said;
      const isGood = !target.includes("sender");
      const body = { status: isGood, message: danger, data, errors: { [danger]: [danger] } };
      respond(isGood ? 200 : 422, body, { "X-Odd": "a\u009b2J\u0085b" });
    });
    const env = {
      NO_COLOR: "1",
      SENDCTL_BASE_URL: service.baseUrl,
      SENDCTL_SECRET_KEY: "sk_of_the_service",
    };
    for (const mode of Object.values(modes)) {
      for (const args of [
        ["group", "list"],
        ["group", "fetch", "12"],
        ["sender-id", "fetch", "A", "--debug"],
        ["api", "GET", "/v1/group", "--debug"],
        ["doctor"],
      ]) {
        const ran = await runAtTerminal(home, [...mode, ...args], { env });
        expect(rest(ran.stdout + ran.stderr), args.join(" ")).not.toMatch(controls);
      }
    }
    await service.close();
    expect(service.received.length).toBeGreaterThan(0);
  });

  test("of prompts and the menu", async ({ home, expect }) => {
    await prepare(home);
    const lines = [
      ["group", "delete", "1"],
      ["sender-id", "delete", danger],
      ["profile", "delete", danger],
      ["login", "--base-url", `https://a.example/${danger}`],
      ["local", "integration", "delete", danger],
      ["local", "reset"],
      ["group", "fetch"],
      ["sender-id", "fetch"],
    ];
    for (const args of lines) {
      const env = { NO_COLOR: "1" };
      const keys = [["?", "\u0003"]] as const;
      const ran = await runAtTerminal(home, args, { env, keys });
      expect(rest(ran.stdout + ran.stderr, true), args.join(" ")).not.toMatch(controls);
    }
  });

  test("of the first lines of serve", async ({ home, expect }) => {
    const file = join(home.folder, `x\u202ey`, "z.db");
    const args = ["serve", "--port", "0", "--database", file];
    const serving = execa(process.execPath, [launcher, ...args], {
      cwd: home.folder,
      env: home.env,
      extendEnv: false,
      reject: false,
    });
    let heard = "";
    let isOver = false;
    serving.stderr.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    void serving.finally(() => (isOver = true));
    await until("serve says where it listens", () => isOver || heard.includes("Listening"));
    serving.kill("SIGTERM");
    const { stderr } = await serving;
    expect(stderr).toContain(String.raw`x\u202ey`);
    expect(rest(stderr)).not.toMatch(controls);
  });
});
