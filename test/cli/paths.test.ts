import { existsSync } from "node:fs";
import { mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { errorOf, test, type Home } from "../support/home.ts";
import { canMount, newDisk } from "../support/new-disk.ts";
import { inTime, until } from "../support/waiting.ts";

/** Paths that commands can seldom read, write or use as a database. */
const paths = [
  "folder",
  "loop",
  "dangling",
  "file/x",
  "missing/x",
  "empty",
  "x".repeat(300),
  "/dev/full",
  "/dev/null",
  "/dev/zero",
  "/proc/1/none",
  "/proc/self/mem",
];

/** Commands with a path in each place that takes one. */
const commands: readonly (readonly [name: string, words: (path: string) => readonly string[]])[] = [
  ["apply", (path) => ["apply", "-f", path, "--yes"]],
  ["diff", (path) => ["diff", "-f", path]],
  ["api", (path) => ["api", "POST", "/v1/group", "--body-file", path]],
  ["import", (path) => ["local", "contact", "import", "1", path]],
  ["serve --behaviour", (path) => ["serve", "--behaviour", path, "--host", "192.0.2.1"]],
  ["serve --write-env", (path) => ["serve", "--write-env", path, "--host", "192.0.2.1"]],
  ["run --seed", (path) => ["local", "run", "--seed", path, "--", "true"]],
  ["run --behaviour", (path) => ["local", "run", "--behaviour", path, "--", "true"]],
  ["backup", (path) => ["local", "backup", path]],
  ["restore", (path) => ["local", "restore", path, "--yes"]],
  ["copy", (path) => ["local", "copy", "--to", path]],
  ...["group list", "group create A", "local info", "local check", "local backup b.db"].map(
    (words) => database(words),
  ),
  ...["local copy --to c.db", "local log", "local seed --groups 1"].map((words) => database(words)),
  ...["local reset --yes", "local restore good.db --yes", "doctor"].map((words) => database(words)),
];

function database(words: string): (typeof commands)[number] {
  return [`--database with ${words}`, (path) => ["--database", path, ...words.split(" ")]];
}

/** Creates a database, and a backup that is valid. */
async function stock(home: Home): Promise<void> {
  await home.run(["group", "create", "Friends"]);
  await home.run(["local", "backup", "good.db"]);
}

/** Creates the unusable paths. */
async function prepare(home: Home): Promise<void> {
  const at = (name: string) => join(home.folder, name);
  await mkdir(at("folder"));
  await symlink("loop", at("loop"));
  await symlink("nowhere/x", at("dangling"));
  await writeFile(at("file"), "x");
  await writeFile(at("empty"), "");
}

describe.concurrent("an unusable path", () => {
  for (const [name, words] of commands) {
    test(`never ends with a defect: ${name}`, async ({ home, expect }) => {
      await stock(home);
      for (const path of paths) {
        await prepare(home);
        const outcome = await home.run(words(path));
        // Some take an empty file, or create what is missing.
        expect([0, 2, 6, 11], `${path}: ${outcome.stderr}`).toContain(outcome.exitCode);
        for (const entry of ["folder", "loop", "dangling", "missing"]) {
          await rm(join(home.folder, entry), { recursive: true, force: true });
        }
      }
    });
  }

  for (const [name, variable, words, exitCode] of [
    ["data", "XDG_DATA_HOME", "group create A", 11],
    ["config", "XDG_CONFIG_HOME", "login --local --profile a", 2],
    ["state", "XDG_STATE_HOME", "apply -f m.yaml --yes", 0],
  ] as const) {
    test(`ends at once as the home of ${name}`, async ({ home, expect }) => {
      await writeFile(
        join(home.folder, "m.yaml"),
        "groups:\n  - name: A\n    send_holiday: true\n",
      );
      for (const path of ["/proc/1/none", join(home.folder, "m.yaml")]) {
        const outcome = await inTime(
          `${variable}=${path}`,
          home.spawn(words.split(" "), { [variable]: path }),
        );
        expect(outcome).toMatchObject({ exitCode });
      }
    });
  }

  test("is exit 2 as the working folder, where one is needed", async ({ home, expect }) => {
    for (const words of ["local info", "apply -f /tmp/m.yaml", "--database x.db group list"]) {
      const outcome = await home.shell(`mkdir d && cd d && rmdir ../d && sendctl ${words}`);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
      expect(outcome.stderr).toContain("the working folder no longer exists");
    }
  });

  test.skipIf(!canMount)("is reported as a full disk by login", async ({ home, expect }) => {
    const disk = `mount -t tmpfs -o size=16k none . && cd "$PWD"; head -c 100k /dev/zero > fill 2> /dev/null`;
    const script = `sendctl() { "$NODE" "$LAUNCHER" "$@"; }; ${disk}; sendctl login --local --json`;
    await mkdir(join(home.folder, ".config"));
    const outcome = await home.shell(
      `cd .config; export NODE LAUNCHER; exec ${newDisk} bash -c '${script}'`,
    );
    expect(outcome.exitCode).toBe(2);
    expect(errorOf(outcome)).toMatchObject({
      kind: "usage",
      hint: "free disk space and try again",
    });
  });
});

describe.skipIf(!existsSync("/proc")).concurrent("a named pipe without a writer", () => {
  for (const [index, [name, words]] of commands.slice(0, 8).entries()) {
    if (name === "serve --write-env") continue;
    for (const signal of index === 0 ? (["SIGINT", "SIGTERM"] as const) : (["SIGTERM"] as const)) {
      test(`${name} ends on ${signal}`, async ({ home, expect }) => {
        await home.run(["group", "create", "Friends"]);
        const pipe = join(home.folder, "pipe");
        await execa("mkfifo", [pipe]);
        const running = home.start(words(pipe));
        const folder = `/proc/${running.pid}/fd`;
        await until("the pipe is open", async () => {
          const files = await readdir(folder).catch(() => []);
          const links = files.map((file) => readlink(join(folder, file)).catch(() => ""));
          return (await Promise.all(links)).includes(pipe);
        });
        running.kill(signal);
        const outcome = await inTime(`its end on ${signal}`, running);
        const status = signal === "SIGINT" ? 130 : 143;
        expect(outcome.exitCode ?? (outcome.signal === signal && status)).toBe(status);
        expect(existsSync(pipe)).toBe(true);
      });
    }
  }
});
