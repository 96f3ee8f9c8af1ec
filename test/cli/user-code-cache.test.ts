import { existsSync } from "node:fs";
import { chmod, chown, lstat, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test, type Home } from "../support/home.ts";

const isRoot = process.getuid?.() === 0;
const somebodyElse = 65_534;
const hasCompileCache = "enableCompileCache" in nodeModule;

type Environment = Readonly<Record<string, string>>;

async function node(home: Home, args: readonly string[], env: Environment = {}) {
  const { exitCode, stdout } = await execa(process.execPath, args, {
    cwd: home.folder,
    env: { ...home.env, SENDCTL_NO_CODE_CACHE: "", ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  return { exitCode, stdout };
}

const help = [launcher, "--help"];
/** The build had other flags of V8, so that V8 refuses the code in the package. */
const refusing = ["--no-opt", ...help];

const cacheOf = (home: Home): string => join(home.folder, ".cache/sendctl");

const found = join(dirname(launcher), "private-cache.js");
/** Returns the folder that is used. */
async function usedFolder(home: Home, env: Environment = {}): Promise<string> {
  const script = `console.log(require(${JSON.stringify(found)}).privateCache() ?? "none")`;
  return (await node(home, ["-e", script], env)).stdout;
}

describe("code that V8 refuses in the package", () => {
  test.skipIf(!hasCompileCache)("is kept by Node for the next start", async ({ home, expect }) => {
    const first = await node(home, refusing);
    expect(first.exitCode).toBe(0);
    const [version] = await readdir(cacheOf(home));
    const files = await readdir(join(cacheOf(home), version!));
    expect(files.length).toBeGreaterThanOrEqual(1);
    expect(await node(home, refusing)).toStrictEqual(first);
    expect(await readdir(join(cacheOf(home), version!))).toStrictEqual(files);
    expect((await node(home, ["--no-opt", launcher, "--bad"])).exitCode).toBe(2);
    expect((await node(home, ["--no-opt", launcher, "schema", "manifest"])).exitCode).toBe(0);
    expect(await readdir(join(cacheOf(home), version!))).not.toStrictEqual(files);
  });

  test.skipIf(hasCompileCache)("is compiled by Node 20", async ({ home, expect }) => {
    expect(await node(home, refusing)).toMatchObject({ exitCode: 0 });
    expect(existsSync(cacheOf(home))).toBe(false);
  });

  test("is not needed after a build", async ({ home, expect }) => {
    expect(await node(home, help)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(home.folder, ".cache"))).toBe(false);
  });
});

describe("the folder of the code", () => {
  test("is created for the user only", async ({ home, expect }) => {
    expect(await usedFolder(home)).toBe(cacheOf(home));
    expect((await lstat(cacheOf(home))).mode & 0o777).toBe(0o700);
    const XDG_CACHE_HOME = join(home.folder, "caches");
    expect(await usedFolder(home, { XDG_CACHE_HOME })).toBe(join(XDG_CACHE_HOME, "sendctl"));
  });

  const cases: readonly (readonly [
    when: string,
    change: (folder: string, home: Home) => Promise<unknown>,
    env?: Environment,
  ])[] = [
    ["others can write to it", (folder) => chmod(folder, 0o777)],
    ["others can read it", (folder) => chmod(folder, 0o755)],
    ["others can replace it", (folder) => chmod(dirname(folder), 0o777)],
    [
      "its folder is a file",
      (_, { folder }) => writeFile(join(folder, "file"), ""),
      { HOME: "file" },
    ],
    ["it is turned off", async () => {}, { SENDCTL_NO_CODE_CACHE: "1" }],
    ["no absolute folder is set", async () => {}, { XDG_CACHE_HOME: "caches", HOME: "home" }],
    ["no home is set", async () => {}, { HOME: "" }],
    ["its folders do not exist", async () => {}, { XDG_CACHE_HOME: "/none/none" }],
    ["it is somebody else's", (folder) => chown(folder, somebodyElse, somebodyElse)],
    ["the home is somebody else's", (_, { folder }) => chown(folder, somebodyElse, 0)],
  ];
  for (const [when, change, env] of cases) {
    test.skipIf(!isRoot && when.includes("else"))(
      `is not used if ${when}`,
      async ({ home, expect }) => {
        await mkdir(cacheOf(home), { recursive: true, mode: 0o700 });
        await change(cacheOf(home), home);
        expect(await usedFolder(home, env)).toBe("none");
        expect(await node(home, refusing, env)).toMatchObject({ exitCode: 0 });
        expect(await readdir(cacheOf(home))).toStrictEqual([]);
      },
    );
  }

  test("is not used if it is a link", async ({ home, expect }) => {
    await mkdir(join(home.folder, "elsewhere"), { mode: 0o700 });
    await mkdir(dirname(cacheOf(home)));
    await symlink(join(home.folder, "elsewhere"), cacheOf(home));
    expect(await usedFolder(home)).toBe("none");
  });
});
