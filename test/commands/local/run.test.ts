import { mkdir, readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { execa } from "execa";
import { describe } from "vitest";
import { quietRuntime, runMain, screen, stoppable } from "../../support/built-program.ts";
import { writeConfig } from "../../support/config-file.ts";
import { errorLines, launcher, test, type Home } from "../../support/home.ts";
import { inTime } from "../../support/waiting.ts";
import { startHint } from "../../../src/commands/local/run.ts";
import type { Ended, Running } from "../../../src/core/programs.ts";
import type { Runtime } from "../../../src/core/runtime.ts";

/** Creates a temporary folder, which the test expects to be empty afterwards. */
async function temporary(home: Home): Promise<{ env: { TMPDIR: string }; left: () => unknown }> {
  const folder = join(home.folder, "tmp");
  await mkdir(folder);
  return { env: { TMPDIR: folder }, left: () => readdir(folder) };
}

/** Runs Node with a script as the command. */
function script(text: string, ...args: readonly string[]): string[] {
  return ["local", "run", "-q", "--", process.execPath, "-e", text, ...args];
}

const serving = "Serving on http://127\\.0\\.0\\.1:\\d+ for ";

describe.concurrent("the command of local run", () => {
  for (const code of [0, 1, 255]) {
    test(`determines the exit code: ${code}`, async ({ home, expect }) => {
      const { env, left } = await temporary(home);
      expect(await home.spawn(script(`process.exit(${code})`), env)).toStrictEqual({
        exitCode: code,
        stdout: "",
        stderr: "",
      });
      expect(await left()).toStrictEqual([]);
    });
  }

  for (const [signal, exitCode] of [
    ["SIGKILL", 137],
    ["SIGTERM", 143],
    ["SIGUSR1", 138],
  ] as const) {
    test(`has exit code ${exitCode} after ${signal}, as in a shell`, async ({ home, expect }) => {
      const { env, left } = await temporary(home);
      const args = ["local", "run", "-q", "--", "sh", "-c", `kill -${signal.slice(3)} $$; sleep 9`];
      expect((await home.spawn(args, env)).exitCode).toBe(exitCode);
      expect(await left()).toStrictEqual([]);
    });
  }

  test("gets a key that is given with --key-from-env", async ({ home, expect }) => {
    const key = "a-key-of-our-own-0001";
    const text =
      "fetch(process.env.SENDCTL_BASE_URL + '/v1/group', { headers: { Authorization: 'Bearer ' + process.env.SENDCTL_SECRET_KEY } }).then((response) => console.log(response.status, process.env.SENDCTL_SECRET_KEY))";
    const args = ["local", "run", "-q", "--key-from-env", "--", process.execPath, "-e", text];
    const ran = await home.spawn(args, { SENDCTL_SECRET_KEY: key });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `200 ${key}\n` });
    expect(await home.spawn(args)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("owns standard output in every format", async ({ home, expect }) => {
    const args = ["local", "run", "--json", "--", process.execPath, "-p", "'mine'"];
    const { exitCode, stdout, stderr } = await home.spawn(args);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 0, stdout: "mine\n" });
    expect(stderr).toMatch(new RegExp(`^${serving}${process.execPath}\n$`));
  });

  test("gets its arguments unchanged", async ({ home, expect }) => {
    const words = ["--json", "-q", "--", "a b", "", "$HOME", "*", "--", "--help"];
    const text = "console.log(JSON.stringify(process.argv.slice(1)))";
    const { stdout } = await home.spawn(script(text, "--", ...words));
    expect(JSON.parse(stdout)).toStrictEqual(words);
    // Without the first --, everything after the first word belongs to the command as well.
    const without = script(text, "--", ...words).filter((word, index) => index !== 3);
    expect(JSON.parse((await home.spawn(without)).stdout)).toStrictEqual(words);
  });

  test("reads standard input and writes large output", async ({ home, expect }) => {
    const lines = "process.stdin.pipe(process.stdout)";
    const input = "0123456789abcde\n".repeat(300_000);
    const { stdout, exitCode } = await execa(process.execPath, [launcher, ...script(lines)], {
      env: home.env,
      extendEnv: false,
      input,
      maxBuffer: 10_000_000,
      stripFinalNewline: false,
    });
    expect(exitCode).toBe(0);
    expect(stdout === input).toBe(true);
  });

  test("gets the address, key and database of the temporary service", async ({ home, expect }) => {
    await writeConfig(home, { profiles: { prod: { mode: "local" } } });
    const env = {
      SENDCTL_PROFILE: "prod",
      SENDCTL_CONTROL_URL: "http://127.0.0.1:9/other",
      SENDCTL_BASE_URL: "https://sms.example.com",
      SENDCTL_SECRET_KEY: "sk_of_another_service",
      SENDCTL_DATABASE: join(home.folder, "other.db"),
      OTHER: "kept",
    };
    const { stdout } = await home.spawn(script("console.log(JSON.stringify(process.env))"), env);
    const found = JSON.parse(stdout) as Record<string, string>;
    expect(found).toMatchObject({ OTHER: "kept", HOME: home.folder });
    expect(found["SENDCTL_BASE_URL"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(found["SENDCTL_SECRET_KEY"]).toMatch(/^sk_/);
    expect(found["SENDCTL_SECRET_KEY"]).not.toBe(env.SENDCTL_SECRET_KEY);
    expect(found["SENDCTL_DATABASE"]).toMatch(/\/sendctl-[^/]+\/sendctl\.db$/);
    expect(found).not.toHaveProperty("SENDCTL_PROFILE");
    expect(found).not.toHaveProperty("SENDCTL_CONTROL_URL");
    expect(await readdir(home.folder)).toStrictEqual([".config"]);
  });

  test("can be sendctl, which uses that service", async ({ home, expect }) => {
    const { env, left } = await temporary(home);
    const both = `"$0" "$1" group create Friends -q -o id && "$0" "$1" group list -q -o csv`;
    const args = ["local", "run", "-q", "--", "sh", "-c", both, process.execPath, launcher];
    const { exitCode, stdout, stderr } = await home.spawn(args, { ...env, CI: "true" });
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^1\nid,.*\r\n1,[^\n]*Friends[^\n]*\r\n$/s);
    expect(await left()).toStrictEqual([]);
    // The default database was not used; .local has the history.
    expect(await readdir(home.folder)).toStrictEqual([".local", "tmp"]);
  });

  test("can be sendctl local, which uses the database of that service", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Of the home"]);
    const words = `
      sendctl() { "$NODE" "$LAUNCHER" "$@"; }
      sendctl group create Friends -q -o id
      printf 'phone\n+2348031234567\n' | sendctl local contact import 1 - -q -o id
      sendctl group list -o jsonl
      sendctl local log -o csv
      sendctl local reset --yes`;
    const env = { NODE: process.execPath, LAUNCHER: launcher };
    const args = ["local", "run", "-q", "--", "sh", "-c", words];
    const { exitCode, stdout, stderr } = await home.spawn(args, env);
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 0,
      stderr: "The database contained 1 group, 1 contact, 1 key\nDatabase reset\n",
    });
    expect(stdout).toMatch(/^1\n1\n\{"id":1,.*"name":"Friends".*"contacts_count":1\b.*\}\n/);
    expect(stdout).toContain("POST,/v1/group,201,");
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("1\n");
  });

  test("is subject to --rate-limit", async ({ home, expect }) => {
    const text = `
      const headers = { Authorization: "Bearer " + process.env.SENDCTL_SECRET_KEY };
      const ask = async () =>
        (await fetch(process.env.SENDCTL_BASE_URL + "/v1/group", { headers })).status;
      Promise.all(Array.from({ length: 5 }, ask)).then((all) => console.log(all.includes(429)));`;
    const args = script(text);
    args.splice(2, 0, "--rate-limit", "1");
    expect(await home.spawn(args)).toStrictEqual({ exitCode: 0, stdout: "true\n", stderr: "" });
  });

  test("leaves no port open", async ({ home, expect }) => {
    const { stdout } = await home.spawn(script("console.log(process.env.SENDCTL_BASE_URL)"));
    const socket = connect(Number(new URL(stdout.trim()).port), "127.0.0.1");
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe.concurrent("a signal to local run", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
    const waiting = `setInterval(() => {}, 1000); console.log("ready")`;

    test(`${signal} ends the command`, async ({ home, expect }) => {
      const { env, left } = await temporary(home);
      // Node would start its debugger.
      const ending = signal === "SIGUSR1" ? `process.on("SIGUSR1", () => process.exit(138));` : "";
      const running = home.start(script(ending + waiting), env);
      await once(running.stdout, "data");
      running.kill(signal);
      const numbers = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143, SIGUSR1: 138, SIGUSR2: 140 };
      expect(await running).toMatchObject({ exitCode: numbers[signal], stderr: "" });
      expect(await left()).toStrictEqual([]);
    });

    test(`${signal} reaches the command once, and the command sets the exit code`, async ({
      home,
      expect,
    }) => {
      const { env, left } = await temporary(home);
      const hearing = `process.on("${signal}", (heard) => {
        console.log(heard);
        setTimeout(() => process.exit(5), 300);
      });`;
      const running = home.start(script(hearing + waiting), env);
      await once(running.stdout, "data");
      running.kill(signal);
      expect(await running).toMatchObject({ exitCode: 5, stdout: `ready\n${signal}\n` });
      expect(await left()).toStrictEqual([]);
    });
  }
});

test("a signal before the command starts ends local run without it", async ({ home, expect }) => {
  const { onStop, stop } = stoppable();
  const stderr = screen(undefined, (text) => {
    if (text.includes("Serving on")) stop("SIGTERM");
  });
  const runtime = { ...quietRuntime(home.folder, home.env), onStop };
  const ended = await runMain(["local", "run", "--", "true"], runtime, [screen(), stderr]);
  expect(ended.exitCode).toBe(143);
});

test("a signal while the command starts reaches it", async ({ home, expect }) => {
  const { onStop, stop } = stoppable();
  const run: Runtime["run"] = async () => {
    stop("SIGTERM");
    let kill!: Running["kill"];
    const ended = new Promise<Ended>((resolve) => {
      kill = (signal) => resolve({ signal, number: 15 });
    });
    return { ended, kill, sharesTerminal: false };
  };
  const runtime = { ...quietRuntime(home.folder, home.env), onStop, run };
  const ended = await inTime("local run", runMain(["local", "run", "--", "true"], runtime));
  expect(ended.exitCode).toBe(143);
});

test("a key at a terminal that the command shares is not sent to it again", async ({
  home,
  expect,
}) => {
  const { onStop, stop } = stoppable();
  const sent: string[] = [];
  const run: Runtime["run"] = async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) stop(signal);
    let kill!: Running["kill"];
    const ended = new Promise<Ended>((resolve) => {
      kill = (signal) => {
        sent.push(signal);
        resolve({ signal, number: 15 });
      };
    });
    return { ended, kill, sharesTerminal: true };
  };
  const runtime = { ...quietRuntime(home.folder, home.env), onStop, run };
  await inTime("local run", runMain(["local", "run", "--", "true"], runtime));
  expect(sent).toEqual(["SIGTERM"]);
});

describe.concurrent("local run without a usable command", () => {
  test("reports it on stderr in every format", async ({ home, expect }) => {
    const { env, left } = await temporary(home);
    await writeFile(join(home.folder, "text"), "not a program\n");
    for (const [command, exitCode, message] of [
      ["no-such-command", 127, "no-such-command was not found"],
      ["./no/such/file", 127, "./no/such/file was not found"],
      ["./text", 126, "./text cannot be run (EACCES)"],
      [".", 126, ". cannot be run (EACCES)"],
    ] as const) {
      const ended = await home.spawn(["local", "run", "-q", "--json", "--", command], env);
      expect(ended).toMatchObject({ exitCode, stdout: "" });
      expect(ended.stderr).toMatch(errorLines);
      expect(ended.stderr).toContain(message);
    }
    expect(await left()).toStrictEqual([]);
  });

  test("reports a missing temporary folder", async ({ home, expect }) => {
    const env = { TMPDIR: join(home.folder, "gone") };
    const refused = await home.spawn(["local", "run", "true"], env);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^hint: set TMPDIR/m);
    expect(refused.stderr).toContain(env.TMPDIR);
  });
});

test("a script that Windows does not start is explained there, and only there", ({ expect }) => {
  for (const code of ["ENOENT", "EINVAL"]) expect(startHint(code, "win32")).toContain("cmd /c");
  for (const system of ["linux", "darwin"] as const) {
    expect(startHint("ENOENT", system)).not.toContain("cmd /c");
    expect(startHint("EINVAL", system)).toBeUndefined();
  }
});
