import { join } from "node:path";
import { describe } from "vitest";
import { group, page, senderId } from "../client/sample-responses.ts";
import { startService } from "../client/scripted-service.ts";
import { writeConfig } from "../support/config-file.ts";
import { dataOf, insertGroups, runAtTerminal, type Home } from "../support/home.ts";
import { test } from "../support/serving.ts";

/** Terminal controls: title, colours, C1, bidirectional overrides, bell and carriage return. */
const danger = "a\u001b]0;x\u0007\u009b2J\u202eb\u2066c\rd\u001b[31me\u0085f\u001b[Kg";

const controls = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Removes line breaks, and the cursor movements of a prompt. */
function withoutLayout(text: string, isPrompt = false): string {
  const shown = text.replaceAll(/\r?\n/g, "");
  return isPrompt
    ? shown.replaceAll(new RegExp(String.raw`\u001b\[[\d;?]*[A-Za-ln-z]`, "g"), "")
    : shown;
}

const local = (...args: string[]): readonly string[] => ["--local", ...args];

/** Every output that shows an argument or a file name. */
const outputs: Readonly<Record<string, readonly string[]>> = {
  "an unknown command": [danger],
  "an unknown command of a noun": ["group", danger],
  "help of an unknown command": ["help", danger],
  "help of an unknown command of a noun": ["help", "group", danger],
  "an unknown option": [`--${danger}`],
  "an unknown option of a command": ["group", "list", `--${danger}`],
  "an extra argument": ["group", "list", danger],
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
  "a profile to create": ["login", "--profile", danger],
  "a database": ["group", "list", "--database", `/nonexistent/${danger}/x.db`],
  "a database to describe": ["local", "info", "--database", danger],
  "a database to check": ["local", "check", "--database", `${danger}.db`],
  "the doctor of a database": ["doctor", "--database", danger],
  "the doctor of a base URL": ["doctor", "--base-url", `http://127.0.0.1:9/${danger}`],
  "a group to fetch": local("group", "fetch", danger),
  "a group to create": local("group", "create", danger),
  "a group to delete": local("group", "delete", danger, "--yes"),
  "a sender ID to create": local("sender-id", "create", danger, "--purpose", danger),
  "a sender ID to fetch": local("sender-id", "fetch", danger),
  "a sender ID to delete": local("sender-id", "delete", danger, "--yes"),
  "a sender ID to wait for": local("sender-id", "wait", danger, "--for", danger),
  "a method": ["api", danger, "/v1/group"],
  "a path": ["api", "GET", danger],
  "a body file": ["api", "POST", "/v1/group", "--body-file", danger],
  "a body": local("api", "POST", "/v1/group", "--body", danger),
  "a manifest": local("apply", "--file", danger, "--yes"),
  "a manifest to compare": local("diff", "--file", danger),
  "an integration": ["local", "integration", "create", danger],
  "an integration to delete": ["local", "integration", "delete", danger, "--yes"],
  "a key to create": ["local", "key", "create", "--integration", danger],
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
  table: [],
  json: ["--json"],
  "jsonl, debugged": ["--output", "jsonl", "--debug"],
  csv: ["--output", "csv"],
  yaml: ["--output", "yaml"],
  id: ["--output", "id"],
};

/** Creates records and profiles with dangerous names. */
async function prepare(home: Home): Promise<void> {
  // The engine refuses such names, but an older database may contain them.
  await insertGroups(home, [{ name: danger, message: danger }]);
  await home.run(["sender-id", "create", "ACME", "--purpose", "Tests"]);
  // A base URL cannot contain control characters, so this one has bidirectional overrides only.
  const odd = { baseUrl: "https://a.example/a\u202eb\u2066c", secretKey: "sk_of_profile" };
  const profiles = { [danger]: { mode: "local" }, odd };
  await writeConfig(home, { profiles });
}

describe("a terminal gets no control characters", () => {
  test.for(Object.entries(modes))("%s", async ([, mode], { home, expect }) => {
    await prepare(home);
    const env = { NO_COLOR: "1", SENDCTL_NO_INPUT: "1" };
    for (const [output, args] of Object.entries(outputs)) {
      const words = args[0] === "__complete" ? args : [...mode, ...args];
      for (const stdoutIsTerminal of [true, false]) {
        const ran = await runAtTerminal(home, words, { env, stdoutIsTerminal });
        expect(ran.exitCode, `${output} ended with a defect: ${ran.stderr}`).not.toBe(1);
        expect(withoutLayout(ran.stderr), `stderr of ${output}`).not.toMatch(controls);
        if (stdoutIsTerminal) {
          // Completions for a shell contain tabs.
          expect(withoutLayout(ran.stdout), `stdout of ${output}`).not.toMatch(controls);
        }
        // An empty list has no ids.
        if (mode.length === 0) expect(ran.stdout + ran.stderr, `output of ${output}`).not.toBe("");
        expect(ran.stderr, `stderr of ${output}`).not.toContain("the config file");
      }
    }
  });

  test("from a dry run, even in a file", async ({ home, expect }) => {
    for (const mode of [[], ["--json"]]) {
      const args = ["group", "create", danger, "--dry-run", ...mode];
      const ran = await home.run(args);
      const { stdout } = ran;
      expect(withoutLayout(stdout)).not.toMatch(controls);
      const curl = mode.length === 0 ? stdout : (dataOf(ran) as { curl: string }).curl;
      const body = /--data-raw '(.*)'$/m.exec(curl)?.[1];
      expect(JSON.parse(body!)).toMatchObject({ name: danger });
    }
  });

  test("from the messages and headers of a service", async ({ home, expect }) => {
    const record = { ...group, ...senderId, name: danger, [danger]: [danger] };
    const service = await startService(({ target }, { respond }) => {
      const data = target.includes("?") || target.endsWith("group") ? page([record]) : record;
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
        expect(withoutLayout(ran.stdout + ran.stderr), args.join(" ")).not.toMatch(controls);
      }
    }
    await service.close();
    expect(service.received.length).toBeGreaterThan(0);
  });

  test("from prompts and the menu", async ({ home, expect }) => {
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
      expect(withoutLayout(ran.stdout + ran.stderr, true), args.join(" ")).not.toMatch(controls);
    }
  });

  test("from the first lines of serve", async ({ home, serveHere, expect }) => {
    const file = join(home.folder, `x\u202ey`, "z.db");
    const { stop } = await serveHere(["--database", file]);
    const { stderr } = await stop();
    expect(stderr).toContain(String.raw`x\u202ey`);
    expect(withoutLayout(stderr)).not.toMatch(controls);
  });
});
