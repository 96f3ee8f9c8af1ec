import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { startService } from "../../client/scripted-service.ts";
import { configOf, writeConfig } from "../../support/config-file.ts";
import {
  errorLines,
  errorOf,
  dataOf,
  printed,
  runAtTerminal,
  type Home,
} from "../../support/home.ts";
import { test } from "../../support/serving.ts";
import { wordsOf } from "../operations/operation-case.ts";

const key = "sk_test_of_profiles_1234";
const elsewhere = "https://sms.example.com";

async function read(home: Home): Promise<unknown> {
  return JSON.parse(await readFile(configOf(home), "utf8"));
}

async function mode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Logs in with a key on standard input. */
function login(home: Home, options: string, given = key) {
  return home.run(["login", "--with-key", ...wordsOf(options)], {}, `  ${given}\n`);
}

/** Logs in through a shell, which splits the options. */
function loginInShell(home: Home, options: string, given: string) {
  return home.shell(`printf '  %s\\n' '${given}' | sendctl login --with-key ${options}`);
}

/** Starts a service that accepts every key, or sends the given response. */
async function listening(status = 200, body?: unknown) {
  const page = { data: [], current_page: 1, last_page: 1, per_page: 1, total: 0 };
  const envelope = { status: true, message: "Senders retrieved", data: page };
  return startService((_, { respond }) => respond(status, body ?? envelope));
}

/** Accepts the default at the question for the name of a profile. */
const named = [["Profile name", "\r"]] as const;

describe.concurrent("login", () => {
  test("reads a key with a byte order mark, as PowerShell writes it", async ({ home, expect }) => {
    for (const encoding of ["utf8", "utf16le"] as const) {
      const words = ["login", "--base-url", "https://sms.example.com", "--no-check", "--with-key"];
      await home.run(words, {}, Buffer.from(`\ufeff${key}\r\n`, encoding));
      expect(JSON.stringify(await read(home))).toContain(`"${key}"`);
      await home.run(["logout", "--yes"]);
    }
  });

  test("asks for the URL and, masked, the key", async ({ home, serveHere, expect }) => {
    const { baseUrl, key: issued } = await serveHere();
    const keys = [
      ["? Profile name", "\u0015sk_live\r"],
      ["looks like a secret key", ""],
      ["? Profile name", "\r"],
      ["Base URL of the service", `${baseUrl}\r`],
      [`Secret key for ${baseUrl}`, issued!],
      // Ctrl-T would show the key if that were not disabled.
      ["*".repeat(issued!.length), "\u0014\r"],
    ] as const;
    const outcome = await runAtTerminal(home, ["login"], { keys, columns: 200 });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", keysLeft: 0 });
    expect(outcome.stderr).not.toContain(issued);
    expect(outcome.stderr).not.toContain(issued!.slice(0, 8));
    expect(outcome.stderr).toContain(`Logged in to ${baseUrl} · profile default\n`);
    expect(await read(home)).toStrictEqual({
      current: "default",
      profiles: { default: { baseUrl, secretKey: issued } },
    });

    const created = await home.run(["group", "create", "Friends"]);
    expect(created.exitCode).toBe(0);
    expect(created.stderr).toBe(`→ ${baseUrl} (profile default)\nGroup Friends (id 1) created\n`);
    const sent = await home.run(["api", "POST", "/v1/group", "--body", '{"name": "More"}']);
    expect(sent.stderr).toContain(`→ ${baseUrl} (profile default)\n`);
    const quiet = await home.run(["group", "create", "Others", "--quiet"]);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: "" });
  });

  for (const [name, pressed] of [
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ] as const) {
    test(`stores nothing after ${name} at either question`, async ({ home, expect }) => {
      const first = await runAtTerminal(home, ["login"], {
        keys: [...named, ["Base URL", pressed]],
      });
      const keys = [
        ...named,
        ["Base URL", `${elsewhere}\r`],
        // Ctrl-D ends only an empty line.
        ["Secret key", name === "Ctrl-C" ? `sk_half${pressed}` : pressed],
      ] as const;
      const second = await runAtTerminal(home, ["login"], { keys });
      for (const outcome of [first, second]) {
        expect(outcome).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
        expect(outcome.stderr).toContain("Cancelled\n");
        expect(outcome.stderr).not.toContain("sk_half");
      }
      expect(existsSync(dirname(configOf(home)))).toBe(false);
    });
  }

  test("reads the key from standard input and trims it", async ({ home, expect }) => {
    const service = await listening();
    const outcome = await login(home, `--base-url ${service.baseUrl} --profile prod --json`);
    const message = `Logged in to ${service.baseUrl} · profile prod`;
    const data = { profile: "prod", base_url: service.baseUrl, key_ending: "…1234" };
    expect(outcome).toStrictEqual({
      exitCode: 0,
      stdout: printed({ status: true, message, data }),
      stderr: "",
    });
    expect(service.received).toHaveLength(1);
    const [{ method, target, headers }] = service.received as [(typeof service.received)[0]];
    expect([method, target]).toStrictEqual(["GET", "/v1/sender-id?perPage=1"]);
    expect(headers["authorization"]).toBe(`Bearer ${key}`);
    expect(await read(home)).toMatchObject({ current: "prod" });
    await service.close();
  });

  test("stores nothing if the service refuses or cannot be reached", async ({ home, expect }) => {
    const refusals = [
      [401, 3, "auth"],
      [403, 3, "auth"],
      [429, 7, "rate_limited"],
      [500, 8, "unavailable"],
      [404, 4, "not_found"],
    ] as const;
    for (const [status, exitCode, kind] of refusals) {
      const body = { status: false, message: `No, not with ${key}`, data: null };
      const service = await listening(status, body);
      // Also for an address that only the argument has, while the settings select the database.
      const form = status === 404 ? "" : "--base-url ";
      const outcome = await login(home, `${form}${service.baseUrl} --retries 0`);
      const hints: Readonly<Record<string, string>> = {
        auth: `hint: nothing was stored; [^\\n]*${service.baseUrl}\\n`,
        not_found: String.raw`hint: check the base URL\n`,
      };
      const hint = hints[kind] ?? "";
      const line = String.raw`sendctl: No, not with \[hidden\] \(HTTP ${status}, ${kind}\)\n`;
      const stderr = expect.stringMatching(new RegExp(`^${line}${hint}$`)) as unknown;
      expect({ status, ...outcome }).toStrictEqual({ status, exitCode, stdout: "", stderr });
      await service.close();
    }
    const unreachable = await login(home, "--base-url http://127.0.0.1:9 --retries 0");
    expect(unreachable).toMatchObject({ exitCode: 8, stdout: "" });
    expect(existsSync(configOf(home))).toBe(false);
  });

  test("leaves the config file unchanged if the service refuses", async ({ home, expect }) => {
    const before = await writeConfig(home, { profiles: { default: { baseUrl: elsewhere } } });
    const service = await listening(401, { status: false, message: "No", data: null });
    await login(home, `--base-url ${service.baseUrl}`);
    expect(await readFile(configOf(home), "utf8")).toBe(before);
    await service.close();
  });

  for (const url of [`--base-url ${elsewhere}`, elsewhere]) {
    test(`sends no request with --no-check: ${url}`, async ({ home, expect }) => {
      const outcome = await login(home, `${url} --no-check`);
      expect(outcome).toMatchObject({ exitCode: 0, stdout: "" });
      const profiles = { default: { baseUrl: elsewhere, secretKey: key } };
      expect(await read(home)).toStrictEqual({ current: "default", profiles });
    });
  }

  test("replaces the key of an existing profile and keeps its other settings", async ({
    home,
    expect,
  }) => {
    await writeConfig(home, {
      profiles: { prod: { baseUrl: elsewhere, secretKey: "sk_of_yesterday", database: "/my.db" } },
    });
    const rotated = await login(home, "--profile prod --no-check");
    expect(rotated.exitCode).toBe(0);
    const prod = { baseUrl: elsewhere, secretKey: key, database: "/my.db" };
    expect(await read(home)).toStrictEqual({ current: "prod", profiles: { prod } });
    const keys = [
      [`(${elsewhere})`, "\r"],
      ["Secret key", "sk_of_tomorrow\r"],
    ] as const;
    const args = ["login", "--profile", "prod", "--no-check"];
    const asked = await runAtTerminal(home, args, { keys });
    expect(asked).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await read(home)).toMatchObject({ profiles: { prod: { secretKey: "sk_of_tomorrow" } } });
  });

  const misuses: readonly (readonly [options: string, given: string, says: string])[] = [
    ["--no-check", key, "missing required option --base-url URL"],
    [`--base-url ${elsewhere} --no-check`, "", "standard input contains no key"],
    [`--base-url ${elsewhere} --no-check`, "sk_one sk_two", "contains white space"],
    [`--base-url ${elsewhere} --no-check`, "k".repeat(20_000), "key"],
    ["--base-url sms.example.com --no-check", key, "write https://sms.example.com"],
    ["--base-url http://sms.example.com --no-check", key, "--insecure-http"],
    // The base URL is checked first: the empty input is not reported.
    ["--base-url sms.example.com --no-check", "", "write https://sms.example.com"],
    [`http://localhost:1 --base-url ${elsewhere} --no-check`, key, "pass one of them"],
    ["--base-url http://sms.example.com", "", "--insecure-http"],
    [`--base-url ${elsewhere} --no-check --profile 'a b'`, key, "invalid profile name"],
    [`--base-url ${elsewhere} --no-check --profile __proto__`, key, "invalid profile name"],
    [`--base-url ${elsewhere} --no-check --profile ''`, key, "--profile is empty"],
    [`--base-url ${elsewhere} --no-check --dry-run`, key, "--dry-run"],
    ["--local", key, "--local"],
  ];
  for (const [options, given, says] of misuses) {
    test(`rejects ${options} with "${given.slice(0, 20)}"`, async ({ home, expect }) => {
      const outcome = await login(home, options, given);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
      expect(outcome.stderr).toMatch(errorLines);
      expect(outcome.stderr).toContain(says);
      expect(existsSync(configOf(home))).toBe(false);
    });
  }

  for (const options of ["--base-url sms.example.com", "sms.example.com"]) {
    test(`rejects ${options} without asking for the key`, async ({ home, expect }) => {
      const keys = [["Profile name", `${key}\r`]] as const;
      const args = ["login", ...options.split(" ")];
      const outcome = await runAtTerminal(home, args, { keys, columns: 200 });
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "", keysLeft: 1 });
      expect(outcome.stderr).toContain("sendctl: the base URL ");
      expect(existsSync(configOf(home))).toBe(false);
    });
  }

  test("asks again for a base URL that is invalid", async ({ home, expect }) => {
    const keys = [
      ...named,
      ["Base URL", "localhost:4711\r"],
      ["hint: write http://localhost:4711", ""],
      ["Base URL", `${elsewhere}\r`],
      [`Secret key for ${elsewhere}`, `${key}\r`],
    ] as const;
    const outcome = await runAtTerminal(home, ["login", "--no-check"], { keys, columns: 200 });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", keysLeft: 0 });
    expect(await read(home)).toMatchObject({ profiles: { default: { baseUrl: elsewhere } } });
  });

  test("exits with 2 if it cannot ask", async ({ home, expect }) => {
    for (const options of ["", `--base-url ${elsewhere}`, "--with-key"]) {
      const outcome = await home.run(["login", ...options.split(" ").filter(Boolean)]);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    }
    const typed = await runAtTerminal(home, ["login", "--with-key", "--base-url", elsewhere]);
    expect(typed).toMatchObject({ exitCode: 2 });
    expect(typed.stderr).toContain("--with-key reads the key from a file or a pipe");
  });

  test("shows its request under --dry-run", async ({ home, expect }) => {
    const outcome = await login(home, `--base-url ${elsewhere} --dry-run`);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    expect(outcome.stdout).toContain(`'${elsewhere}/v1/sender-id?perPage=1'`);
    expect(outcome.stdout).not.toContain(key);
    expect(existsSync(configOf(home))).toBe(false);
  });

  test("warns that a key in the environment overrides the stored one", async ({ home, expect }) => {
    const line = `printf %s ${key} | SENDCTL_SECRET_KEY=sk_of_the_environment`;
    const outcome = await home.shell(
      `${line} sendctl login --with-key --no-check --base-url ${elsewhere}`,
    );
    expect(outcome.stderr).toContain("Warning: SENDCTL_SECRET_KEY is set");
  });
});

describe.concurrent("the config file", () => {
  for (const umask of ["000", "022"]) {
    test(`is readable only by its owner under umask ${umask}`, async ({ home, expect }) => {
      const script = `umask ${umask}; printf ${key} | sendctl login --with-key --no-check --base-url ${elsewhere}`;
      expect((await home.shell(script)).exitCode).toBe(0);
      const file = configOf(home);
      expect(await mode(file)).toBe("600");
      expect(await mode(dirname(file))).toBe("700");
      expect(await readdir(dirname(file))).toStrictEqual(["config.json"]);
    });
  }

  test("is restricted to its owner when it is written", async ({ home, expect }) => {
    await home.shell(
      "umask 000; mkdir -p .config/sendctl; echo '{}' > .config/sendctl/config.json",
    );
    expect(await mode(configOf(home))).toBe("666");
    await login(home, `--base-url ${elsewhere} --no-check`);
    expect(await mode(configOf(home))).toBe("600");
  });

  test("is written at the target of a link, and replaced atomically, in a Snap as well", async ({
    home,
    expect,
  }) => {
    await mkdir(dirname(configOf(home)), { recursive: true });
    const target = join(home.folder, "elsewhere.json");
    await writeFile(target, "{}");
    const { ino } = await stat(target);
    await symlink(target, configOf(home));
    const script = `printf ${key} | SNAP=/snap/editor sendctl login --with-key --no-check --base-url ${elsewhere}`;
    expect((await home.shell(script)).exitCode).toBe(0);
    expect(JSON.parse(await readFile(target, "utf8"))).toMatchObject({ current: "default" });
    expect(await mode(target)).toBe("600");
    expect((await stat(target)).ino).not.toBe(ino);
  });

  test("keeps the profiles of 8 concurrent logins", async ({ home, expect }) => {
    const names = Array.from({ length: 8 }, (_, index) => `profile-${index}`);
    const outcomes = await Promise.all(
      names.map((name) =>
        loginInShell(home, `--profile ${name} --base-url ${elsewhere} --no-check`, `sk_of_${name}`),
      ),
    );
    expect(outcomes.map(({ exitCode }) => exitCode)).toStrictEqual(names.map(() => 0));
    const { profiles } = (await read(home)) as { profiles: Record<string, unknown> };
    expect(Object.keys(profiles).toSorted()).toStrictEqual(names.toSorted());
    for (const name of names) {
      expect(profiles[name]).toStrictEqual({ baseUrl: elsewhere, secretKey: `sk_of_${name}` });
    }
    expect(await readdir(dirname(configOf(home)))).toStrictEqual(["config.json"]);
  });

  test("is written after an interrupted write", async ({ home, expect }) => {
    await writeConfig(home, { profiles: { prod: { baseUrl: elsewhere } } });
    const file = configOf(home);
    await writeFile(`${file}.new`, "{half");
    await writeFile(`${file}.lock`, "");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${file}.lock`, longAgo, longAgo);
    expect((await home.run(["profile", "use", "prod"])).exitCode).toBe(0);
    expect(await read(home)).toMatchObject({ current: "prod" });
    expect(await readdir(dirname(file))).toStrictEqual(["config.json"]);
  });

  const whole = JSON.stringify({
    current: "prod",
    profiles: { prod: { baseUrl: elsewhere, secretKey: key } },
  });
  const broken: readonly (readonly [what: string, text: string])[] = [
    ["cut short", whole.slice(0, -20)],
    ["empty", ""],
    ["a list", "[]"],
    ["of wrong types", whole.replace('"https', '7,"x":"https')],
    ["of an unknown field", whole.replace("baseUrl", "baseURL")],
  ];
  for (const [what, text] of broken) {
    test(`that is ${what} is reported and not changed`, async ({ home, expect }) => {
      await writeConfig(home, text);
      const commands = [
        "group list",
        "group list --local",
        `group list --base-url ${elsewhere}`,
        "local key list",
        "profile list",
        "profile show",
        "profile use prod",
        "profile delete prod --yes",
        "logout",
        "group list --debug",
      ];
      const outcomes = [
        await login(home, `--base-url ${elsewhere} --no-check`),
        ...(await Promise.all(commands.map((line) => home.run(line.split(" "))))),
      ];
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
        const message = `sendctl: the config file ${configOf(home)} `;
        expect(outcome.stderr.startsWith(message)).toBe(true);
        expect(outcome.stderr).toMatch(/^hint: fix it/m);
        expect(outcome.stderr).not.toContain(key.slice(0, 8));
      }
      expect(await readFile(configOf(home), "utf8")).toBe(text);
      expect(await readdir(dirname(configOf(home)))).toStrictEqual(["config.json"]);
      // Help and the version need no settings.
      expect((await home.run(["--version"])).exitCode).toBe(0);
      expect((await home.run(["group", "--help"])).exitCode).toBe(0);
    });
  }

  test("is not created or written by other commands", async ({ home, expect }) => {
    const commands = [
      "group create Friends",
      "group list",
      "local key list",
      "api GET /v1/group",
      "profile list",
      "profile show",
      "logout",
      "profile use prod",
      "profile delete prod --yes",
    ];
    for (const line of commands) await home.run(line.split(" "));
    expect(existsSync(join(home.folder, ".config"))).toBe(false);

    const text = await writeConfig(home, {
      current: "dev",
      profiles: { dev: { mode: "local", database: join(home.folder, "dev.db") } },
    });
    const before = await stat(configOf(home));
    for (const line of [...commands, "profile use dev"]) await home.run(line.split(" "));
    expect(await readFile(configOf(home), "utf8")).toBe(text);
    const { ino, mtimeMs } = await stat(configOf(home));
    expect({ ino, mtimeMs }).toStrictEqual({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(existsSync(join(home.folder, "dev.db"))).toBe(true);
  });

  test("is in XDG_CONFIG_HOME", async ({ home, expect }) => {
    const env = { XDG_CONFIG_HOME: join(home.folder, "my config") };
    const folder = join(home.folder, "my config", "sendctl");
    await mkdir(folder, { recursive: true });
    const profiles = { only: { mode: "local" } };
    await writeFile(join(folder, "config.json"), JSON.stringify({ profiles }));
    const listed = dataOf(await home.run(["profile", "list", "--json"], env));
    expect(listed).toMatchObject({ total: 1, data: [{ name: "only", current: false }] });
  });
});

describe.concurrent("the key of a profile", () => {
  test("is sent to no other host", async ({ home, expect }) => {
    const [own, other] = [await listening(), await listening()];
    const prod = { baseUrl: own.baseUrl, secretKey: key };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    expect((await home.run(["sender-id", "list"])).exitCode).toBe(0);
    const overrides = [
      await home.run(["sender-id", "list", "--base-url", other.baseUrl]),
      await home.run(["sender-id", "list"], { SENDCTL_BASE_URL: other.baseUrl }),
      await home.run(["sender-id", "list", "--profile", "prod", "--base-url", other.baseUrl]),
    ];
    for (const outcome of overrides) {
      expect(outcome).toMatchObject({ exitCode: 3, stdout: "" });
      expect(outcome.stderr).toContain("no key is configured for 127.0.0.1");
      expect(outcome.stderr).toContain(`the key of profile prod belongs to ${own.baseUrl}`);
    }
    expect(other.connections()).toBe(0);
    const env = { SENDCTL_SECRET_KEY: "sk_of_the_environment" };
    await home.run(["sender-id", "list", "--base-url", other.baseUrl], env);
    await home.run(["sender-id", "list"], env);
    const sent = [...own.received, ...other.received].map(
      ({ headers }) => headers["authorization"],
    );
    expect(sent).toStrictEqual([
      `Bearer ${key}`,
      "Bearer sk_of_the_environment",
      "Bearer sk_of_the_environment",
    ]);
    await Promise.all([own.close(), other.close()]);
  });

  test("is hidden in all output", async ({ home, expect }) => {
    const body = { status: false, message: `Bad: ${key}`, data: null };
    const service = await listening(422, body);
    const prod = { baseUrl: service.baseUrl, secretKey: key };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    for (const options of [[], ["--json"], ["--debug"]]) {
      const { stdout, stderr } = await home.run(["group", "create", "x", ...options]);
      expect(stdout + stderr).toContain("[hidden]");
      expect(stdout + stderr).not.toContain(key);
    }
    await service.close();
  });

  test("is hidden to its end if another key begins like it", async ({ home, expect }) => {
    const longer = `${key}_and_its_end`;
    const service = await listening(422, { status: false, message: `Bad: ${longer}`, data: null });
    const prod = { baseUrl: service.baseUrl, secretKey: key };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    const env = { SENDCTL_SECRET_KEY: longer };
    const { stderr } = await home.run(["group", "create", "x"], env);
    expect(stderr).toContain("Bad: [hidden] (HTTP 422");
    await service.close();
  });

  test("is not used with --local", async ({ home, expect }) => {
    const prod = { baseUrl: elsewhere, secretKey: key };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    expect((await home.run(["group", "create", "Here", "--local"])).exitCode).toBe(0);
    const listed = await home.run(["group", "list", "--local", "--json"]);
    expect(dataOf(listed)).toMatchObject({ total: 1 });
  });

  test("selects the integration of its own database", async ({ home, expect }) => {
    const database = join(home.folder, "dev.db");
    await home.run(["local", "integration", "create", "shop", "--database", database]);
    const args = ["local", "key", "create", "--integration", "shop", "--json"];
    const issued = dataOf(await home.run([...args, "--database", database]));
    const { secret_key: secretKey } = issued as { secret_key: string };
    const dev = { mode: "local", database, secretKey };
    const lost = { mode: "local", secretKey: "sk_of_no_database" };
    await writeConfig(home, { current: "dev", profiles: { dev, lost } });
    expect((await home.run(["group", "create", "Of the shop"])).exitCode).toBe(0);
    const listed = dataOf(await home.run(["local", "integration", "list", "--json"]));
    expect(listed).toMatchObject({
      data: [{ name: "shop", groups_count: 1 }, { groups_count: 0 }],
    });
    const refused = await home.run(["group", "list", "--profile", "lost"]);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain("did not issue the secret key in profile lost");
    const raw = await home.run(["api", "GET", "/v1/group", "--profile", "lost"]);
    expect(raw.stderr).toBe(refused.stderr);
  });
});

describe.concurrent("profile", () => {
  const config = {
    current: "prod",
    profiles: {
      prod: { baseUrl: elsewhere, secretKey: key },
      dev: { mode: "local", database: "/dev.db" },
      short: { baseUrl: elsewhere, secretKey: "sk_12345" },
    },
  };

  test("list shows every profile and the end of its key", async ({ home, expect }) => {
    await writeConfig(home, config);
    const listed = await home.run(["profile", "list", "--json"]);
    const common = { base_url: null, protection: null };
    const dev = { ...common, name: "dev", current: false, mode: "embedded" };
    const prod = { ...common, name: "prod", current: true, mode: "remote", base_url: elsewhere };
    expect(dataOf(listed)).toStrictEqual({
      data: [
        { ...prod, database: null, key_ending: "…1234" },
        { ...dev, database: "/dev.db", key_ending: null },
        { ...prod, name: "short", current: false, database: null, key_ending: "…" },
      ],
      current_page: 1,
      last_page: 1,
      per_page: 3,
      total: 3,
    });
    const table = await home.run(["profile", "ls"]);
    expect(table.stdout).toMatch(/^Name +Current +Mode +Base URL +Database +Key ends in\n/);
    expect(table.stdout).not.toContain("sk_");
    const ids = await home.run(["profile", "list", "-o", "id"]);
    expect(ids.stdout).toBe("prod\ndev\nshort\n");
  });

  test("list without profiles says how to create one", async ({ home, expect }) => {
    const stderr = "No profiles yet · create one: sendctl login\n";
    expect(await home.run(["profile", "list"])).toStrictEqual({ exitCode: 0, stdout: "", stderr });
  });

  test("use selects the current profile", async ({ home, expect }) => {
    await writeConfig(home, config);
    const stderr = "Current profile: dev\n";
    expect(await home.run(["profile", "use", "dev"])).toStrictEqual({
      exitCode: 0,
      stdout: "",
      stderr,
    });
    expect(await read(home)).toStrictEqual({ ...config, current: "dev" });
    // It also repairs a current profile that does not exist.
    await writeConfig(home, { ...config, current: "gone" });
    const lost = await home.run(["group", "list"]);
    expect(lost.exitCode).toBe(2);
    expect(lost.stderr).toContain('unknown profile "gone"');
    const url = { SENDCTL_BASE_URL: "https://sms.example.com" };
    expect((await home.run(["profile", "use", "dev"], url)).stderr).toContain(
      "SENDCTL_BASE_URL is set and overrides the profile",
    );
    expect((await home.run(["login", "--profile", "sk_abc"])).stderr).not.toContain("sk_abc");
    expect((await home.run(["profile", "use", "dev"])).exitCode).toBe(0);
  });

  test("show prints the source of each setting", async ({ home, expect }) => {
    await writeConfig(home, config);
    const shown = async (args: readonly string[], env: Record<string, string> = {}) =>
      dataOf(await home.run(["profile", "show", ...args, "--json"], env));
    const database = { value: home.database, from: "default" };
    const prod = {
      profile: { value: "prod", from: "profile" },
      mode: { value: "remote", from: "profile" },
      base_url: { value: elsewhere, from: "profile" },
      secret_key: { value: "…1234", from: "profile" },
      database,
      output: { value: "json", from: "flag" },
      timeout: { value: "30s", from: "default" },
      retries: { value: 2, from: "default" },
    };
    expect(await shown([])).toStrictEqual(prod);
    const named = { value: "prod", from: "flag" };
    expect(await shown(["prod"])).toStrictEqual({ ...prod, profile: named });
    expect(await shown(["short"])).toMatchObject({ secret_key: { value: "…", from: "profile" } });
    expect(await shown(["dev"])).toMatchObject({
      mode: { value: "embedded", from: "profile" },
      base_url: { value: null, from: "default" },
      secret_key: { value: null, from: "default" },
      database: { value: "/dev.db", from: "profile" },
    });
    const env = {
      SENDCTL_PROFILE: "dev",
      SENDCTL_BASE_URL: "https://env.example.com",
      SENDCTL_SECRET_KEY: "sk_of_the_environment",
      SENDCTL_RETRIES: "7",
    };
    expect(await shown(["--database", "/flag.db", "--timeout", "1s"], env)).toMatchObject({
      profile: { value: "dev", from: "environment" },
      mode: { value: "embedded", from: "flag" },
      base_url: { value: null, from: "default" },
      database: { value: "/flag.db", from: "flag" },
      timeout: { value: "1s", from: "flag" },
      retries: { value: 7, from: "environment" },
    });
    expect(await shown([], env)).toMatchObject({
      mode: { value: "remote", from: "environment" },
      base_url: { value: "https://env.example.com", from: "environment" },
      secret_key: { value: "…ment", from: "environment" },
    });
    const { stdout: table, stderr } = await home.run(["profile", "show"]);
    expect(stderr).toBe("");
    expect(table).toMatch(/^Profile +prod \(config file\)$/m);
    expect(table).toMatch(/^Base URL +https:\/\/sms\.example\.com \(profile\)$/m);
    expect(table).toMatch(/^Secret key +…1234 \(profile\)$/m);
  });

  test("rename keeps the settings, the order and the current profile", async ({ home, expect }) => {
    await writeConfig(home, config);
    const args = ["profile", "rename", "prod", "production", "--json"];
    const renamed = await home.run(args);
    expect(renamed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(dataOf(renamed)).toStrictEqual({ name: "production", previous_name: "prod" });
    const { prod, dev, short } = config.profiles;
    const stored = { current: "production", profiles: { production: prod, dev, short } };
    expect(await readFile(configOf(home), "utf8")).toBe(`${JSON.stringify(stored, null, 2)}\n`);
    expect((await home.run(["profile", "rename", "dev", "test"])).exitCode).toBe(0);
    expect(await read(home)).toMatchObject({ current: "production", profiles: { test: dev } });
  });

  test("rename rejects a used or invalid name and changes nothing", async ({ home, expect }) => {
    const before = await writeConfig(home, config);
    const refused = [["prod", "dev"], ["prod", "a b"], ["prod", ""], ["prod"], []];
    for (const names of refused) {
      const outcome = await home.run(["profile", "rename", ...names, "--json"]);
      expect(outcome.exitCode).toBe(2);
      expect(errorOf(outcome).kind).toBe("usage");
    }
    expect(await readFile(configOf(home), "utf8")).toBe(before);
  });

  test("delete asks first", async ({ home, expect }) => {
    const before = await writeConfig(home, config);
    const args = ["profile", "delete", "prod"];
    const question = "Delete profile prod and its key?";
    const declined = await runAtTerminal(home, args, { keys: [[question, "\r"]] });
    expect(declined).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
    expect(declined.stderr).toContain("Nothing deleted\n");
    expect(await home.run(args)).toMatchObject({ exitCode: 2 });
    expect(await readFile(configOf(home), "utf8")).toBe(before);
    const confirmed = await runAtTerminal(home, args, { keys: [[question, "y\r"]], columns: 400 });
    expect(confirmed).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(confirmed.stderr).toContain(
      `Warning: No current profile: commands now use the embedded engine, ${home.database}\n`,
    );
    const { dev, short } = config.profiles;
    expect(await read(home)).toStrictEqual({ profiles: { dev, short } });
    const other = await home.run(["profile", "rm", "dev", "-y"]);
    expect(other).toStrictEqual({ exitCode: 0, stdout: "", stderr: "Profile deleted\n" });
  });

  test("rejects an unknown name and lists the known ones", async ({ home, expect }) => {
    const before = await writeConfig(home, config);
    const lines = [
      "group list --profile nope",
      "profile use nope",
      "profile show nope",
      "profile delete nope --yes",
      "profile rename nope other",
      "logout --profile nope",
    ];
    for (const line of lines) {
      const outcome = await home.run(line.split(" "));
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
      expect(outcome.stderr).toMatch(
        /^sendctl: unknown profile "nope" (?:from --profile[^(]*)?\(available: prod, dev, short\)\nhint: .*\n$/,
      );
    }
    expect((await home.run(["group", "list"], { SENDCTL_PROFILE: "nope" })).exitCode).toBe(2);
    expect(await readFile(configOf(home), "utf8")).toBe(before);
  });

  test("use asks for one of the profiles", async ({ home, expect }) => {
    await writeConfig(home, config);
    // The list begins at the current profile.
    const keys = [["Profile", "\u001b[B\r"]] as const;
    const chosen = await runAtTerminal(home, ["profile", "use"], { keys });
    expect(chosen).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await read(home)).toMatchObject({ current: "dev" });
  });

  test("requires NAME if it cannot ask", async ({ home, expect }) => {
    for (const verb of ["use", "delete"]) {
      const outcome = await home.run(["profile", verb]);
      const stderr = "sendctl: missing required argument NAME\n";
      expect(outcome).toStrictEqual({ exitCode: 2, stdout: "", stderr });
    }
  });
});

describe.concurrent("logout", () => {
  test("removes the key, keeps the other settings, and reports a missing key", async ({
    home,
    expect,
  }) => {
    const nothing = await home.run(["logout"]);
    expect(nothing).toMatchObject({ exitCode: 0, stdout: "" });
    expect(nothing.stderr).toContain("no key to remove");
    const prod = { baseUrl: elsewhere, secretKey: key };
    await writeConfig(home, { current: "prod", profiles: { prod, other: prod } });
    const done = { exitCode: 0, stdout: "", stderr: "Key of profile prod removed\n" };
    expect(await home.run(["logout"])).toStrictEqual(done);
    const without = { baseUrl: elsewhere };
    expect(await read(home)).toStrictEqual({
      current: "prod",
      profiles: { prod: without, other: prod },
    });
    const again = await home.run(["logout", "--json"]);
    const envelope = { status: true, message: "Profile prod has no key", data: null };
    expect(again).toStrictEqual({ exitCode: 0, stdout: printed(envelope), stderr: "" });
    expect((await home.run(["logout", "--profile", "other"])).exitCode).toBe(0);
    expect(await read(home)).toMatchObject({ current: "prod", profiles: { other: without } });
    expect((await home.run(["group", "list"])).exitCode).toBe(3);
  });
});
