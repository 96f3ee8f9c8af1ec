import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { configOf, writeConfig } from "../../support/config-file.ts";
import { runAtTerminal, type Home } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

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
  return home.run(["login", "--with-key", ...options.split(" ")], {}, `  ${given}\n`);
}

/** Logs in through a shell, which splits the options. */
function loginInShell(home: Home, options: string, given: string) {
  return home.shell(`printf '  %s\\n' '${given}' | sendctl login --with-key ${options}`);
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
});
