import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test, type Home } from "../support/home.ts";

/** Prints on stderr, when the process ends, the files of the bundle whose code V8 accepted. */
const probe = `
const { basename } = require("node:path");
const vm = require("node:vm");
const accepted = [];
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (this.cachedDataRejected === false) accepted.push(basename(options.filename));
  }
};
process.on("exit", () => {
  require("node:fs").writeSync(2, "accepted: " + accepted.sort().join(" ") + "\\n");
});`;

interface Run {
  readonly args?: readonly string[];
  /** Flags of V8. Those of the build are others, so that V8 refuses the code in the package. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Large files of the bundle that a list of groups loads. Only these are looked at. */
const used = ["base.cjs", "commands.cjs", "engine.cjs"];

const listGroups = ["group", "list", "--json"];

/** Runs the launcher with flags under which V8 refuses the code in the package. */
async function run(home: Home, { args = listGroups, flags = ["--no-opt"], env = {} }: Run = {}) {
  const file = join(home.folder, "probe.cjs");
  if (!existsSync(file)) await writeFile(file, probe);
  const words = [...flags, "--require", file, launcher, ...args];
  const { exitCode, stdout, stderr } = await execa(process.execPath, words, {
    cwd: home.folder,
    env: { ...home.env, SENDCTL_NO_CODE_CACHE: "", ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  const accepted = /^accepted: (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? [];
  return { exitCode, stdout, accepted: used.filter((name) => accepted.includes(name)) };
}

const cacheOf = (home: Home): string => join(home.folder, ".cache/sendctl");

/** The only folder in the cache. */
async function folderOf(home: Home): Promise<string> {
  const [name, ...others] = await readdir(cacheOf(home));
  if (name === undefined || others.length > 0) throw new Error("not one folder in the cache");
  return join(cacheOf(home), name);
}

const isRoot = process.getuid?.() === 0;
const somebodyElse = 65_534;

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

describe("V8 refuses the code in the package:", () => {
  test("the next start uses the code in the user's cache", async ({ home, expect }) => {
    const first = await run(home);
    expect(first).toMatchObject({ exitCode: 0, accepted: [] });
    const folder = await folderOf(home);
    const files = await readdir(folder);
    expect(files).toEqual(expect.arrayContaining(used.map((name) => `${name}.code`)));
    const modes = [cacheOf(home), folder, ...files.map((name) => join(folder, name))].map(
      async (path) => ((await lstat(path)).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toStrictEqual(["700", "700", ...files.map(() => "600")]);
    expect(await run(home)).toStrictEqual({ ...first, accepted: used });
    expect(await run(home, { args: ["group", "list", "--bad"] })).toMatchObject({ exitCode: 2 });
  });

  test("each command adds the files that it loads", async ({ home, expect }) => {
    await run(home, { args: ["--help"] });
    expect(await readdir(await folderOf(home))).toStrictEqual(["base.cjs.code"]);
    expect((await run(home)).accepted).toStrictEqual(["base.cjs"]);
    expect((await run(home)).accepted).toStrictEqual(used);
  });

  test("a command that changes V8's flags leaves no code that others cannot use", async ({
    home,
    expect,
  }) => {
    const all = { args: ["group", "list", "--all", "-o", "jsonl"] };
    expect(await run(home, all)).toMatchObject({ exitCode: 0, stdout: "" });
    await run(home);
    expect((await run(home)).accepted).toStrictEqual(used);
  });

  test("processes at once leave whole files, and nothing else", async ({ home, expect }) => {
    const expected = await run(home, { env: { SENDCTL_NO_CODE_CACHE: "1" } });
    const runs = await Promise.all(Array.from({ length: 20 }, () => run(home)));
    for (const { exitCode, stdout } of runs) {
      expect({ exitCode, stdout }).toStrictEqual({ exitCode: 0, stdout: expected.stdout });
    }
    const names = await readdir(await folderOf(home));
    expect(names.filter((name) => !name.endsWith(".cjs.code"))).toStrictEqual([]);
    expect((await run(home)).accepted).toStrictEqual(used);
  });

  test("the code of two versions of V8 is kept", async ({ home, expect }) => {
    for (const flag of ["--no-opt", "--stack-size=900", "--stack-size=950"]) {
      await run(home, { flags: [flag] });
    }
    expect(await readdir(cacheOf(home))).toHaveLength(2);
    expect((await run(home, { flags: ["--stack-size=950"] })).accepted).toStrictEqual(used);
  });

  test("what a killed process left behind is removed, other files are not", async ({
    home,
    expect,
  }) => {
    await run(home, { args: ["--help"] });
    const folder = await folderOf(home);
    const left = join(folder, "base.cjs.code.1.tmp");
    await writeFile(left, "");
    await utimes(left, 0, 0);
    await writeFile(join(cacheOf(home), "notes"), "mine");
    await run(home);
    expect(existsSync(left)).toBe(false);
    await run(home, { flags: ["--stack-size=900"] });
    await run(home, { flags: ["--stack-size=950"] });
    expect(await readFile(join(cacheOf(home), "notes"), "utf8")).toBe("mine");
  });
});

describe("the code in the user's cache is not used", () => {
  const changes: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ["with a bit flipped in its first copy", (bytes) => flip(bytes, 20_000)],
    ["with a bit flipped in its second copy", (bytes) => flip(bytes, bytes.length - 20_000)],
    ["with another source", (bytes) => flip(bytes, Math.floor(bytes.length / 2))],
    ["cut short", (bytes) => bytes.subarray(0, -1000)],
    ["with a tail of zeros", (bytes) => Buffer.concat([bytes.subarray(0, 4096)], bytes.length)],
    ["empty", () => Buffer.alloc(0)],
  ];
  for (const [how, change] of changes) {
    test(`${how}, and is replaced`, async ({ home, expect }) => {
      const { stdout } = await run(home);
      const file = join(await folderOf(home), "base.cjs.code");
      const bytes = await readFile(file);
      await writeFile(file, change(bytes));
      const others = used.filter((name) => name !== "base.cjs");
      expect(await run(home)).toStrictEqual({ exitCode: 0, stdout, accepted: others });
      expect((await run(home)).accepted).toStrictEqual(used);
    });
  }

  test("if others can write it, or it is a link", async ({ home, expect }) => {
    await run(home);
    const folder = await folderOf(home);
    const file = join(folder, "base.cjs.code");
    const others = used.filter((name) => name !== "base.cjs");
    await chmod(file, 0o620);
    expect((await run(home)).accepted).toStrictEqual(others);
    const elsewhere = join(home.folder, "elsewhere");
    await rename(file, elsewhere);
    await symlink(elsewhere, file);
    expect((await run(home)).accepted).toStrictEqual(others);
    expect((await lstat(file)).isSymbolicLink()).toBe(false);
    expect((await run(home)).accepted).toStrictEqual(used);
  });

  test("in a folder that others can write to, which nothing is written to", async ({
    home,
    expect,
  }) => {
    await run(home);
    const folder = await folderOf(home);
    for (const open of [folder, cacheOf(home)]) {
      await chmod(open, 0o777);
      await rm(join(folder, "base.cjs.code"), { force: true });
      expect(await run(home)).toMatchObject({ exitCode: 0, accepted: [] });
      expect(existsSync(join(folder, "base.cjs.code"))).toBe(false);
      await chmod(open, 0o700);
    }
    await run(home);
    expect((await run(home)).accepted).toStrictEqual(used);
  });

  test("in a folder that is a link, which nothing is written to", async ({ home, expect }) => {
    await run(home);
    const elsewhere = join(home.folder, "elsewhere");
    await rename(cacheOf(home), elsewhere);
    await symlink(elsewhere, cacheOf(home));
    const [name] = await readdir(elsewhere);
    await rm(join(elsewhere, name!, "base.cjs.code"));
    expect(await run(home)).toMatchObject({ exitCode: 0, accepted: [] });
    expect(existsSync(join(elsewhere, name!, "base.cjs.code"))).toBe(false);
  });

  test.skipIf(!isRoot)("if it is somebody else's (needs root)", async ({ home, expect }) => {
    await run(home);
    const folder = await folderOf(home);
    const file = join(folder, "base.cjs.code");
    await chown(file, somebodyElse, somebodyElse);
    expect((await run(home)).accepted).not.toContain("base.cjs");
    expect((await lstat(file)).uid).toBe(0);
    await chown(folder, somebodyElse, somebodyElse);
    expect(await run(home)).toMatchObject({ exitCode: 0, accepted: [] });
  });

  test("with SENDCTL_NO_CODE_CACHE, and none is written", async ({ home, expect }) => {
    const off = { env: { SENDCTL_NO_CODE_CACHE: "1" } };
    expect(await run(home, off)).toMatchObject({ exitCode: 0, accepted: [] });
    expect(existsSync(cacheOf(home))).toBe(false);
    await run(home);
    expect(await run(home, off)).toMatchObject({ exitCode: 0, accepted: [] });
  });
});

describe("no code is written", () => {
  test("where the code in the package is used", async ({ home, expect }) => {
    const args = ["group", "create", "Friends"];
    expect((await run(home, { args, flags: [] })).accepted).toStrictEqual(used);
    expect(existsSync(join(home.folder, ".cache"))).toBe(false);
  });

  test("without an absolute folder to write to", async ({ home, expect }) => {
    const before = [...(await readdir(home.folder)), "probe.cjs"];
    const env = { XDG_CACHE_HOME: "caches", HOME: "home" };
    expect(await run(home, { env })).toMatchObject({ exitCode: 0 });
    expect(await run(home, { env: { HOME: "" } })).toMatchObject({ exitCode: 0 });
    expect((await readdir(home.folder)).toSorted()).toStrictEqual(before.toSorted());
  });

  test("where nothing can be created", async ({ home, expect }) => {
    const expected = await run(home, { env: { SENDCTL_NO_CODE_CACHE: "1" } });
    await writeFile(join(home.folder, ".cache"), "");
    expect(await run(home)).toStrictEqual(expected);
    // Root may write to a read-only folder, too: what counts is that the command succeeds.
    await rm(join(home.folder, ".cache"));
    await mkdir(cacheOf(home), { recursive: true });
    await chmod(cacheOf(home), 0o500);
    expect(await run(home)).toStrictEqual(expected);
    const env = { XDG_CACHE_HOME: join(home.folder, "none/none") };
    expect(await run(home, { env })).toStrictEqual(expected);
    expect(existsSync(join(home.folder, "none"))).toBe(false);
  });

  test.skipIf(!isRoot)(
    "by root into the home of somebody else (needs root)",
    async ({ home, expect }) => {
      await chown(home.folder, somebodyElse, somebodyElse);
      expect(await run(home)).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(home.folder, ".cache"))).toBe(false);
    },
  );

  test("by a process that a signal ends", async ({ home, expect }) => {
    const server = execa(process.execPath, ["--no-opt", launcher, "serve", "--port", "0"], {
      env: { ...home.env, SENDCTL_NO_CODE_CACHE: "" },
      extendEnv: false,
      reject: false,
      stdin: "ignore",
    });
    await new Promise((resolve) => server.stdout.once("data", resolve));
    server.kill("SIGTERM");
    await server;
    expect(existsSync(cacheOf(home))).toBe(false);
  });
});
