import { existsSync } from "node:fs";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { captureOutput } from "../../../src/core/programs.ts";
import { startService } from "../../client/scripted-service.ts";
import { configOf, writeConfig } from "../../support/config-file.ts";
import { dataOf, test, type Home } from "../../support/home.ts";
import { until } from "../../support/waiting.ts";

const key = "sk_that_is_on_no_disk_1234";

async function listening(status = 200) {
  const page = { data: [], current_page: 1, last_page: 1, per_page: 1, total: 0 };
  const ok = { status: true, message: "Senders retrieved", data: page };
  const no = { status: false, message: `No, not ${key}`, data: null };
  return startService((_, { respond }) => respond(status, status === 200 ? ok : no));
}

/** Returns a command that prints the key and a second line, and records each run. */
async function commandIn(home: Home): Promise<string> {
  await writeFile(join(home.folder, "secret"), `  ${key}  \nuser: me\n`);
  return `echo ran >> '${home.folder}/runs'; cat '${home.folder}/secret'`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function runsIn(home: Home): Promise<number> {
  const file = join(home.folder, "runs");
  return existsSync(file) ? (await readFile(file, "utf8")).split("\n").length - 1 : 0;
}

async function write(home: Home, profile: object): Promise<void> {
  await writeConfig(home, { current: "prod", profiles: { prod: profile } });
}

describe("a command whose output is captured", () => {
  const signal = new AbortController().signal;
  const capture = (command: string): ReturnType<typeof captureOutput> =>
    captureOutput(command, { PATH: process.env["PATH"] }, 20_000, signal);

  test("may start an agent that keeps its output open", async ({ expect }) => {
    const startedAt = performance.now();
    const captured = await capture("sleep 15 & echo $!; echo key");
    const [pid, text] = "text" in captured ? captured.text.split("\n") : [];
    process.kill(Number(pid));
    expect(text).toBe("key");
    // The agent would end after that.
    expect(performance.now() - startedAt).toBeLessThan(14_000);
  });

  test("is read to its end", async ({ expect }) => {
    const captured = await capture("seq 1 9000; exit 3");
    expect(captured).toMatchObject({ code: 3 });
    expect("text" in captured && captured.text.split("\n").at(-2)).toBe("9000");
  });
});

describe.concurrent("login --key-command", () => {
  test("stores the command and runs it only when a key is needed", async ({ home, expect }) => {
    const service = await listening();
    const command = await commandIn(home);
    const args = ["login", "--profile", "prod", "--base-url", service.baseUrl];
    const login = await home.run([...args, "--key-command", command, "--json"]);
    expect(login.exitCode).toBe(0);
    expect(dataOf(login)).toMatchObject({ profile: "prod", key_command: command });
    expect(await runsIn(home)).toBe(1);
    const prod = { baseUrl: service.baseUrl, keyCommand: command };
    const config: unknown = JSON.parse(await readFile(configOf(home), "utf8"));
    expect(config).toStrictEqual({ current: "prod", profiles: { prod } });

    const shown = await home.run(["profile", "show", "--json"]);
    expect(dataOf(shown)).toMatchObject({
      secret_key: { value: null, from: "profile" },
      key_command: { value: command, from: "profile" },
    });
    await home.run(["profile", "list"]);
    await home.run(["group", "list", "--local"]);
    await home.run(["group", "create", "x", "--dry-run"]);
    await home.run(["group", "list"], { SENDCTL_SECRET_KEY: "sk_of_the_environment" });
    await home.run(["group", "list", "--base-url", `${service.baseUrl}/other`]);
    expect(await runsIn(home)).toBe(1);

    const listed = await home.run(["sender-id", "list", "--debug"]);
    expect(listed.exitCode).toBe(0);
    expect(await runsIn(home)).toBe(2);
    expect(listed.stdout + listed.stderr + login.stdout + login.stderr).not.toContain(key);
    expect(listed.stderr).not.toContain("secret");
    expect(service.received.map(({ headers }) => headers["authorization"])).toStrictEqual([
      `Bearer ${key}`,
      "Bearer sk_of_the_environment",
      `Bearer ${key}`,
    ]);
    await service.close();

    expect((await home.run(["logout"])).exitCode).toBe(0);
    expect(await readFile(configOf(home), "utf8")).not.toContain("keyCommand");
  });

  test("stores nothing if the service rejects the key", async ({ home, expect }) => {
    const service = await listening(401);
    const args = ["login", "--base-url", service.baseUrl, "--key-command", await commandIn(home)];
    const outcome = await home.run(args);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).not.toContain(key);
    expect(existsSync(configOf(home))).toBe(false);
    await service.close();
  });

  test("replaces a stored key, and is replaced by one", async ({ home, expect }) => {
    await write(home, { baseUrl: "https://sms.example.com", secretKey: key });
    const changed = await home.run([
      "login",
      "--no-check",
      "--profile=prod",
      "--key-command=false",
    ]);
    expect(changed.exitCode).toBe(0);
    expect(await readFile(configOf(home), "utf8")).not.toContain(key);
    await home.run(["login", "--no-check", "--profile=prod", "--with-key"], {}, key);
    expect(await readFile(configOf(home), "utf8")).not.toContain("keyCommand");
  });

  for (const [options, input] of [
    [["--key-command", ""], ""],
    [["--key-command", "a\nb"], ""],
    [["--key-command", "echo x", "--with-key"], key],
  ] as const) {
    test(`rejects ${JSON.stringify(options)}`, async ({ home, expect }) => {
      const args = ["login", "--no-check", "--base-url", "https://sms.example.com", ...options];
      expect(await home.run(args, {}, input)).toMatchObject({ exitCode: 2, stdout: "" });
      expect(existsSync(configOf(home))).toBe(false);
    });
  }
});

describe.concurrent("a key command", () => {
  for (const [what, command, says] of [
    ["fails", "exit 7", "exit code 7"],
    ["does not exist", "no-such-program-of-ours", "exit code 127"],
    ["prints nothing", "true", "printed no key"],
    ["prints a blank first line", `printf '\\n${key}\\n'`, "printed no key"],
    ["prints text", "echo two words", "not a key"],
  ] as const) {
    test(`that ${what} is exit 3, and no request is sent`, async ({ home, expect }) => {
      const service = await listening();
      await write(home, { baseUrl: service.baseUrl, keyCommand: command });
      const outcome = await home.run(["group", "list", "--json"]);
      expect(outcome.exitCode).toBe(3);
      const { error } = JSON.parse(outcome.stdout) as { error: { kind: string; message: string } };
      expect(error.kind).toBe("auth");
      expect(error.message).toContain(says);
      expect(outcome.stderr).not.toContain("two words");
      expect(service.connections()).toBe(0);
      const doctor = await home.run(["doctor", "--json"]);
      expect(doctor.stdout).toContain(says);
      await service.close();
    });
  }

  test("has no standard input, and its stderr is shown", async ({ home, expect }) => {
    const service = await listening();
    const keyCommand = `cat; echo needs a passphrase >&2; echo ${key}`;
    await write(home, { baseUrl: service.baseUrl, keyCommand });
    const outcome = await home.shell("echo sk_of_the_input | sendctl sender-id list");
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(outcome.stderr).toContain("needs a passphrase\n");
    expect(service.received[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    await service.close();
  });

  test("does not run from a file that others can write or replace", async ({ home, expect }) => {
    await write(home, { baseUrl: "http://127.0.0.1:9", keyCommand: await commandIn(home) });
    const file = configOf(home);
    const modes = [
      [0o602, 0o700],
      [0o600, 0o703],
    ] as const;
    for (const [mode, folderMode] of modes) {
      await chmod(file, mode);
      await chmod(dirname(file), folderMode);
      const outcome = await home.run(["group", "list", "--json"]);
      expect(outcome.exitCode).toBe(2);
      expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { kind: "usage" } });
      expect((await home.run(["doctor"])).stdout).toContain("the key command is not run");
    }
    expect(await runsIn(home)).toBe(0);
  });

  test("does not run for shell completion", async ({ home, expect }) => {
    await write(home, { baseUrl: "http://127.0.0.1:9", keyCommand: await commandIn(home) });
    for (const noun of ["group", "sender-id"]) {
      expect((await home.run(["__complete", "--", noun, "fetch", ""])).exitCode).toBe(0);
    }
    expect(await runsIn(home)).toBe(0);
    await home.run(["group", "list", "--retries", "0"]);
    expect(await runsIn(home)).toBe(1);
  });

  test("conflicts with a key", async ({ home, expect }) => {
    await write(home, { baseUrl: "https://a.test", secretKey: key, keyCommand: "true" });
    expect((await home.run(["group", "list"])).exitCode).toBe(2);
  });

  test("is ended by its timeout and by a signal", async ({ home, expect }) => {
    const file = join(home.folder, "pid");
    for (const [failure, timeout] of [
      ["timeout", 2000],
      ["stopped", 600_000],
    ] as const) {
      const stop = new AbortController();
      const command = `echo $$ > '${file}'; exec sleep 600`;
      const captured = captureOutput(command, process.env, timeout, stop.signal);
      let running = 0;
      await until("the command runs", async () => {
        running = existsSync(file) ? Number(await readFile(file, "utf8")) : 0;
        return running > 0;
      });
      if (failure === "stopped") stop.abort();
      expect(await captured).toStrictEqual({ failure });
      await until("the command has ended", () => !isRunning(running));
      await rm(file);
    }
  });
});

describe.concurrent("a control character in a profile", () => {
  for (const profile of [
    { mode: "local", database: "a\0b.db" },
    { mode: "local", database: "a\nb.db" },
    { database: "a\u0085b.db" },
    { database: "postgres://me@host/a\0b" },
    { baseUrl: "https://a\0.test", secretKey: key },
    { baseUrl: "https://a.test", keyCommand: "echo \0" },
  ]) {
    test(`is exit 2: ${JSON.stringify(profile)}`, async ({ home, expect }) => {
      await write(home, profile);
      for (const command of ["group list", "local info", "profile list"]) {
        const outcome = await home.run(command.split(" "));
        expect({ command, ...outcome }).toMatchObject({ exitCode: 2, stdout: "" });
        expect(outcome.stderr).toContain(configOf(home));
      }
    });
  }

  test("is exit 2 in --database and SENDCTL_DATABASE too", async ({ home, expect }) => {
    const flag = await home.run(["group", "list", "--database", "a\0b.db"]);
    const variable = await home.run(["group", "list"], { SENDCTL_DATABASE: "a\u001bb.db" });
    for (const outcome of [flag, variable]) expect(outcome.exitCode).toBe(2);
  });
});
