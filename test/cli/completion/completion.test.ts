import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { startService } from "../../client/scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { runAtTerminal, test as base, type Home, type Outcome } from "../../support/home.ts";
import { installSendctl } from "../../support/install-program.ts";
import { has, shellNames, typedInto } from "./shells.ts";

const names = ["My Co", "It's $5", "A:B=c", "-odd"];

/** Completes in this process, because there are many cases. The shells below use the built program. */
function runHere(home: Home, args: readonly string[], env = {}): Promise<Outcome> {
  return runAtTerminal(home, args, { env, stdoutIsTerminal: false });
}

/** A home with a profile, groups, and sender IDs whose names need quotes in a shell. */
const test = base.extend<{ stocked: Home }>({
  stocked: async ({ home }, use) => {
    for (const name of names) {
      await runHere(home, ["sender-id", "create", "--purpose", "Tests", "--", name]);
    }
    for (const name of ["Customers", "Old friends"]) {
      await runHere(home, ["group", "create", name]);
    }
    const profiles = { prod: { baseUrl: "http://127.0.0.1:9" }, here: { mode: "local" } };
    await writeConfig(home, { profiles });
    await use(home);
  },
});

/** Returns the completed words, without their descriptions. */
async function completed(home: Home, words: readonly string[], env = {}): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runHere(home, ["__complete", "--", ...words], env);
  if (exitCode !== 0 || stderr !== "") throw new Error(`${exitCode} ${stderr}`);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0]!);
}

describe.concurrent("completion of", () => {
  test("an empty word offers every command of the help and no hidden one", async ({
    home,
    expect,
  }) => {
    const { stdout: help } = await home.run(["--help"]);
    const section = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)![1]!;
    const commands = [...section.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name);
    expect(await completed(home, [""])).toStrictEqual(commands);
    const topics = ["options", "exit-codes", "environment", "output", "faults"];
    expect(await completed(home, ["help", ""])).toStrictEqual([...commands, ...topics]);
  });

  test("a dash offers every option that is not given yet", async ({ home, expect }) => {
    const own = await home.run(["group", "update", "--help"]);
    const shared = await home.run(["help", "options"]);
    const options = [
      ...`${own.stdout}${shared.stdout}`.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm),
    ].map(([, name]) => name!);
    expect((await completed(home, ["group", "update", "-"])).toSorted()).toStrictEqual(
      options.toSorted(),
    );
    const given = ["-q", "--name", "x", "--sender-id=y", "--no-send-birthday"];
    const gone = new Set([
      "--quiet",
      "--name",
      "--sender-id",
      "--send-birthday",
      "--no-send-birthday",
    ]);
    expect((await completed(home, ["group", "update", ...given, "--"])).toSorted()).toStrictEqual(
      options.filter((option) => !gone.has(option)).toSorted(),
    );
  });

  test("a word at a terminal asks nothing", async ({ home, expect }) => {
    const outcome = await runAtTerminal(home, ["__complete", "--", "login", "--profile", ""]);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });
});

/** Starts a service that sends the same response to every request, or none. */
async function serviceThat(response: object | undefined) {
  const service = await startService((_, { respond }) => {
    if (response !== undefined) respond(200, response);
  });
  const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: "sk_test" };
  return { ...service, env };
}

const someTime = "2026-01-31T08:00:00.000000Z";

// Sequential, because each has a timeout of one second.
describe("completion from a remote service", () => {
  test("follows --insecure-http to another address", async ({ home, expect }) => {
    const record = { id: 2, name: "ACME", purpose: "x", status: "PENDING", created_at: someTime };
    const page = { data: [record], current_page: 1, last_page: 1, per_page: 15, total: 1 };
    const { baseUrl, close } = await serviceThat({ status: true, message: "", data: page });
    const env = { SENDCTL_SECRET_KEY: "sk_test" };
    // Not this machine as far as a client can tell.
    const elsewhere = ["--base-url", baseUrl.replace("127.0.0.1", "0.0.0.0")];
    const words = ["sender-id", "fetch", ""];
    expect(await completed(home, [...elsewhere, ...words], env)).toStrictEqual([]);
    const insecure = [...elsewhere, "--insecure-http", ...words];
    expect(await completed(home, insecure, env)).toStrictEqual(["ACME"]);
    await close();
  });

  test("never runs a key command, which may ask for a passphrase", async ({ home, expect }) => {
    const { received, env, close } = await serviceThat({ status: false, message: "No" });
    const ran = join(home.folder, "ran");
    const prod = { baseUrl: env.SENDCTL_BASE_URL, keyCommand: `touch '${ran}'; echo sk_test` };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    expect(await completed(home, ["group", "fetch", ""])).toStrictEqual([]);
    await close();
    expect([received, existsSync(ran)]).toStrictEqual([[], false]);
  });

  test("is empty after one attempt without a response", async ({ home, expect }) => {
    const { received, env, close } = await serviceThat(undefined);
    expect(await completed(home, ["sender-id", "fetch", ""], env)).toStrictEqual([]);
    await close();
    expect(received).toHaveLength(1);
  });
});

describe.concurrent("sendctl completion", () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    test.skipIf(!has(shell))(
      `${shell} is a script of ${shell} (skipped without ${shell})`,
      async ({ home, expect }) => {
        const { exitCode, stdout, stderr } = await home.run(["completion", shell]);
        expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
        const file = join(home.folder, "script");
        await writeFile(file, stdout);
        const { exitCode: parsed } = await execa(shell, ["-n", file], { reject: false });
        expect(parsed).toBe(0);
      },
    );
  }

  test("refuses another shell, or none", async ({ home, expect }) => {
    for (const args of [["completion"], ["completion", "tcsh"]]) {
      const { exitCode, stdout, stderr } = await home.run(args);
      expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toMatch(/^sendctl: .*\n(?:hint: use bash, zsh, fish or powershell\n)?$/);
    }
  });
});

/** The typed text before the tab key, and the words that the shell then runs. */
const typed: readonly (readonly [line: string, ...words: string[]])[] = [
  ["sendctl grou", "group"],
  ["sendctl group fe", "group", "fetch"],
  ["sendctl group list --output=tab", "group", "list", "--output=table"],
  ["sendctl group list --output tab", "group", "list", "--output", "table"],
  ["sendctl --profile pr", "--profile", "prod"],
  ["sendctl help exit", "help", "exit-codes"],
  ["sendctl group update 1 --clear-s", "group", "update", "1", "--clear-sender-id"],
  ["sendctl sender-id fetch My", "sender-id", "fetch", "My Co"],
  [String.raw`sendctl sender-id fetch My\ `, "sender-id", "fetch", "My Co"],
  [`sendctl sender-id fetch "My`, "sender-id", "fetch", "My Co"],
  ["sendctl sender-id fetch It", "sender-id", "fetch", "It's $5"],
  ["sendctl sender-id fetch 'It", "sender-id", "fetch", "It's $5"],
  [`sendctl sender-id fetch "It`, "sender-id", "fetch", "It's $5"],
  ["sendctl sender-id fetch A", "sender-id", "fetch", "A:B=c"],
  ["sendctl sender-id fetch A:", "sender-id", "fetch", "A:B=c"],
  ["sendctl sender-id fetch -- -o", "sender-id", "fetch", "--", "-odd"],
  ["sendctl group update 1 --sender-id=My", "group", "update", "1", "--sender-id=My Co"],
  [`sendctl group update 1 --sender-id="My`, "group", "update", "1", "--sender-id=My Co"],
  ["sendctl --database a-f", "--database", "a-file with spaces"],
];

describe.concurrent("the tab key", () => {
  for (const shell of shellNames) {
    test.skipIf(!has(shell) || !has("script"))(
      `completes in ${shell} (skipped without ${shell} or script)`,
      { timeout: 60_000 },
      async ({ stocked, expect }) => {
        await writeFile(join(stocked.folder, "a-file with spaces"), "");
        const lines = typed.map(([line]) => line);
        await installSendctl(stocked);
        const ran = await typedInto(stocked, shell, lines);
        expect(ran).toStrictEqual(typed.map(([, ...words]) => words));
      },
    );
  }
});
