import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { storeInKeychain } from "../../../src/config/keychain.ts";
import { captureOutput } from "../../../src/core/programs.ts";
import { startService } from "../../client/scripted-service.ts";
import { configOf, writeConfig } from "../../support/config-file.ts";
import { errorOf, test, type Home } from "../../support/home.ts";

const key = "sk_of_the_keychain_$'\"\\1234";

/** Keeps entries in files that are named like the account, and records its arguments. */
const secretTool = `#!/bin/sh
cd "$(dirname "$0")/.."
echo "$*" >> arguments
command=$1
for account; do :; done
case $command in
  store) cat > "entry-$account" ;;
  lookup) cat "entry-$account" ;;
  clear) rm "entry-$account" ;;
esac
`;

/** Installs a program, and returns the environment to find it. */
async function withProgram(home: Home, name: string, script: string) {
  const bin = join(home.folder, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), script);
  await chmod(join(bin, name), 0o755);
  return { PATH: `${bin}:/usr/bin:/bin` };
}

async function listening() {
  const page = { data: [], current_page: 1, last_page: 1, per_page: 1, total: 0 };
  const ok = { status: true, message: "Senders retrieved", data: page };
  const service = await startService((_, { respond }) => respond(200, ok));
  return service;
}

interface Stored {
  readonly keyCommand?: string;
  readonly keychain?: string;
}

async function profileOf(home: Home, name: string): Promise<Stored | undefined> {
  const text = await readFile(configOf(home), "utf8").catch(() => `{"profiles":{}}`);
  return (JSON.parse(text) as { profiles: Record<string, Stored> }).profiles[name];
}

describe.skipIf(process.platform !== "linux")("login --keychain", () => {
  test("stores the key with secret-tool, never as an argument, and logout removes it", async ({
    home,
    expect,
  }) => {
    const service = await listening();
    const env = await withProgram(home, "secret-tool", secretTool);
    const login = ["login", "--profile", "prod", "--base-url", service.baseUrl, "--keychain"];
    const given = await home.run([...login, "--with-key", "--json"], env, key);
    expect([given.exitCode, given.stderr]).toEqual([0, ""]);
    const profile = await profileOf(home, "prod");
    expect(profile?.keychain).toMatch(/^prod-[0-9a-f]{8}$/);
    const entry = join(home.folder, `entry-${profile?.keychain}`);
    expect(await readFile(entry, "utf8")).toBe(key);
    expect(profile?.keyCommand).toBe(
      `secret-tool lookup service sendctl account ${profile?.keychain}`,
    );
    expect((await home.run(["sender-id", "list"], env)).exitCode).toBe(0);
    const sent = service.received.map(({ headers }) => headers["authorization"]);
    expect(sent).toStrictEqual([`Bearer ${key}`, `Bearer ${key}`]);

    // Another login replaces the entry; a renamed profile keeps its own.
    await home.run([...login, "--with-key"], env, `${key}5`);
    await expect(readFile(entry)).rejects.toThrow("ENOENT");
    await home.run(["profile", "rename", "prod", "old"], env);
    await home.run([...login, "--with-key"], env, `${key}6`);
    const [old, prod] = [await profileOf(home, "old"), await profileOf(home, "prod")];
    const entryOf = (stored: Stored | undefined) => join(home.folder, `entry-${stored?.keychain}`);
    expect(await readFile(entryOf(old), "utf8")).toBe(`${key}5`);
    expect(await readFile(entryOf(prod), "utf8")).toBe(`${key}6`);
    expect((await home.run(["logout"], env)).exitCode).toBe(0);
    expect((await home.run(["profile", "delete", "old", "--yes"], env)).exitCode).toBe(0);
    await expect(readFile(entryOf(old))).rejects.toThrow("ENOENT");
    await expect(readFile(entryOf(prod))).rejects.toThrow("ENOENT");
    const texts = [await readFile(join(home.folder, "arguments"), "utf8")];
    texts.push(await readFile(configOf(home), "utf8"), given.stdout);
    expect(texts.join("\n")).not.toContain("sk_of");
  });

  test.for([
    ["that is missing", undefined, "secret-tool cannot be started"],
    ["without a session", "#!/bin/sh\nexit 1\n", "secret-tool could not store the key"],
    ["that is locked", "#!/bin/sh\n", "did not return the key"],
    ["that returns another key", "#!/bin/sh\necho sk_other\n", "did not return the key"],
  ] as const)(
    "stores nothing with a keychain %s",
    async ([, script, message], { home, expect }) => {
      const service = await listening();
      const none = { PATH: join(home.folder, "none") };
      const env = script === undefined ? none : await withProgram(home, "secret-tool", script);
      const args = ["login", service.baseUrl, "--keychain", "--with-key", "--json"];
      const failed = await home.run(args, env, key);
      expect([failed.exitCode, errorOf(failed).kind]).toEqual([3, "auth"]);
      expect(failed.stderr).toContain(message);
      expect(failed.stderr).toContain("--key-command");
      expect(await profileOf(home, "default")).toBeUndefined();
    },
  );

  test("leaves no entry behind if the config file cannot be written", async ({ home, expect }) => {
    const service = await listening();
    const env = await withProgram(home, "secret-tool", secretTool);
    await mkdir(join(`${configOf(home)}.new`, "folder"), { recursive: true });
    const args = ["login", service.baseUrl, "--keychain", "--with-key"];
    expect((await home.run(args, env, key)).exitCode).not.toBe(0);
    const ran = await readFile(join(home.folder, "arguments"), "utf8");
    const verbs = ran.trim().split("\n");
    expect(verbs.map((line) => line.split(" ")[0])).toEqual(["store", "lookup", "clear"]);
  });

  test("a key that cannot be removed is reported with the command that does", async ({
    home,
    expect,
  }) => {
    const env = await withProgram(home, "secret-tool", "#!/bin/sh\nexit 1\n");
    const prod = { baseUrl: "https://a.test", keyCommand: "true", keychain: "prod-1234abcd" };
    await writeConfig(home, { current: "prod", profiles: { prod } });
    const ran = await home.run(["logout"], env);
    expect(ran.exitCode).toBe(0);
    const command = "secret-tool clear service sendctl account prod-1234abcd";
    expect(ran.stderr).toContain(`the key is still in the keychain; to remove it: ${command}`);
  });
});

test("on macOS, security gets the key on standard input, in hexadecimal", async ({
  home,
  expect,
}) => {
  const script = `#!/bin/sh\ncd "$(dirname "$0")"\necho "$*" > arguments\ncat > input\n`;
  const env = await withProgram(home, "security", script);
  const { signal } = new AbortController();
  const run = (command: readonly [string, ...string[]], input?: string) =>
    captureOutput(command, env, 60_000, signal, input);
  const { account, keyCommand } = await storeInKeychain("my prod", key, run, "darwin");
  expect(keyCommand).toBe(`security find-generic-password -s sendctl -a ${account} -w`);
  expect(await readFile(join(home.folder, "bin/arguments"), "utf8")).toBe("-i\n");
  const hex = Buffer.from(key).toString("hex");
  expect(await readFile(join(home.folder, "bin/input"), "utf8")).toBe(
    `add-generic-password -U -s sendctl -a ${account} -X ${hex}\n`,
  );
  await expect(storeInKeychain("prod", key, run, "win32")).rejects.toMatchObject({ kind: "usage" });
});
