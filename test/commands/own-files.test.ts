import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { getuid, platform } from "node:process";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test } from "../support/home.ts";
import { canMount, newDisk } from "../support/new-disk.ts";

const login = ["login", "--profile", "p", "--base-url", "https://a.example", "--no-check"];
const key = "integration-key-of-a-test";

describe("the config file", () => {
  test.skipIf(getuid?.() !== 0)("can be in a folder that root owns", async ({ home, expect }) => {
    const folder = join(home.folder, ".config", "sendctl");
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    for (const parent of ["../..", ".."]) await chmod(join(folder, parent), 0o755);
    const options = { env: home.env, input: key, uid: 65_534, gid: 65_534, reject: false } as const;
    const run = (args: readonly string[]) => execa(process.execPath, [launcher, ...args], options);
    expect(await run([...login, "--with-key"])).toMatchObject({ exitCode: 0 });
    expect(await run([...login, "--key-command", "echo integration-key"])).toMatchObject({
      exitCode: 0,
    });
    expect(await run(["group", "list"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("the key command is not run"),
    });
  });
});

describe.skipIf(!canMount)("on a full disk", () => {
  const script = `
    mkdir -p state config; mount -t tmpfs -o size=64k none state
    mount -t tmpfs -o size=64k none config
    mkdir -p state/sendctl/services config/sendctl
    export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config TMPDIR=$PWD/tmp; mkdir tmp
    for disk in state config; do head -c 1000000 /dev/zero >$disk/fill; done 2>/dev/null
    sendctl local start --write-env a.env; echo "start $?"
    echo ${key} | sendctl ${login.join(" ")} --with-key; echo "login $?"
    echo "groups: [{name: A}]" | sendctl apply --yes - >/dev/null; echo "apply $?"
    find state config tmp -name "*lock*" -o -name "*.new*" -o -path "tmp/*"`;

  test("no lock, process or part of a file is left", async ({ home, expect }) => {
    const run = `sendctl() { "$NODE" "$LAUNCHER" "$@"; }; ${script}`;
    const [unshare = "", ...options] = newDisk.split(" ");
    const ran = await execa(unshare, [...options, "bash", "-c", run], {
      cwd: home.folder,
      env: { ...home.env, NODE: process.execPath, LAUNCHER: launcher },
      reject: false,
    });
    expect(ran.stdout).toBe("start 8\nlogin 2\napply 0");
    expect(ran.stderr).toMatch(/services cannot be used \(ENOSPC\)/);
    expect(ran.stderr).not.toContain("defect");
  });
});

test.skipIf(platform !== "linux")(
  "a service in the background does not hold the lock of the shell",
  async ({ home, expect }) => {
    const ran = await home.shell(`
      ( flock 200; sendctl local start --write-env a.env >/dev/null ) 200>lock
      flock -n lock echo free; sendctl local stop a.env`);
    expect(ran.stdout).toBe("free\n");
  },
);

test.for([
  ["the plan to apply", "apply --plan pipe"],
  ["the body of a fault", "serve --temporary --port 0 --fault group.list:status=503,body=@pipe"],
])("%s is a regular file, no pipe", async ([, line], { home, expect }) => {
  const ran = await home.shell(`mkfifo pipe; timeout 10 node "$LAUNCHER" ${line}`);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain("pipe cannot be read (not a regular file)");
});

test("a name that fills standard input is refused, not repeated", async ({ home, expect }) => {
  const name = "a".repeat(5_000_000);
  for (const args of [
    ["group", "delete", "-", "--yes"],
    ["sender-id", "fetch", "-"],
  ]) {
    const { exitCode, stderr } = await home.run(args, {}, name);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^sendctl: standard input, line 1: invalid \w+ "a{40}…": it has 5000000 characters/,
    );
  }
});
