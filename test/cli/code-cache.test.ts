import { cp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test, type Home } from "../support/home.ts";
import { hasTerminal, runOnTerminal } from "../support/pseudo-terminal.ts";

const root = join(dirname(launcher), "..");

/** Copies the built program, so that a test can damage it. */
async function install(home: Home) {
  const folder = join(home.folder, "installed");
  for (const part of ["bin", "dist", "package.json"]) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const run = async (script: string, ...args: string[]) => {
    const options = { cwd: folder, env: home.env, extendEnv: false, reject: false } as const;
    return execa(process.execPath, [script, ...args], { ...options, stdin: "ignore" });
  };
  return { folder, list: () => run("bin/sendctl.js", "group", "list", "--json"), run };
}

function envelopeWith(message: string): string {
  const page = { data: [], current_page: 1, last_page: 1, per_page: 15, total: 0 };
  return JSON.stringify({ status: true, message, data: page }, null, 2);
}

const listed = envelopeWith("Groups retrieved");

test("the launcher exits with 1 if the program never finishes", async ({ home, expect }) => {
  const script = `
    const { loadFrom, start } = require(${JSON.stringify(launcher)});
    const program = "exports.main = () => new Promise(() => {}); exports.processRuntime = () => ({});";
    loadFrom("/program", () => Buffer.from(program));
    void start();`;
  const options = { env: home.env, extendEnv: false, reject: false } as const;
  const { exitCode } = await execa(process.execPath, ["-e", script], options);
  expect(exitCode).toBe(1);
});

test.for(["dist", "dist/base.cjs"])(
  "without %s, the launcher says how to build it",
  async (missing, { home, expect }) => {
    const { folder, list } = await install(home);
    await rm(join(folder, missing), { recursive: true });
    const stderr = `sendctl: not built: ${join(folder, "dist")} is missing or incomplete\nhint: run npm ci in ${folder}`;
    expect(await list()).toMatchObject({ exitCode: 2, stdout: "", stderr });
  },
);

test.for(["by the launcher", "by Node"])(
  "a missing part of the program is named, if it is loaded %s",
  async (how, { home, expect }) => {
    const { folder, run } = await install(home);
    const file = join(folder, "dist/doctor.cjs");
    await rm(file);
    if (how === "by Node") {
      const names = (await readdir(dirname(file))).filter((name) => name.endsWith(".code"));
      for (const name of names) await rm(join(folder, "dist", name));
    }
    const message = `the installation is incomplete: ${file} is missing`;
    expect(await run("bin/sendctl.js", "doctor")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: `sendctl: ${message}\nhint: install sendctl again`,
    });
    const { stdout } = await run("bin/sendctl.js", "doctor", "--json");
    const error = { kind: "usage", message, hint: "install sendctl again" };
    expect(JSON.parse(stdout)).toMatchObject({ status: false, message, error });
  },
);

test.runIf(hasTerminal)(
  "errors are printed at a terminal without the part that wraps them",
  async ({ home, expect }) => {
    const { folder } = await install(home);
    const file = join(folder, "dist/table.cjs");
    await rm(file);
    const argv = [process.execPath, join(folder, "bin/sendctl.js"), "group", "list"];
    const ran = async (...words: string[]) =>
      runOnTerminal(home, [], [], { argv: [...argv, ...words], columns: 40 });
    expect(await ran("--page", "no number of a page that would fit")).toMatchObject({
      code: 2,
      output: expect.not.stringMatching(/^ +at /m),
    });
    await home.run(["group", "create", "Friends"]);
    expect(await ran()).toMatchObject({
      code: 2,
      output: `sendctl: the installation is incomplete: ${file} is missing\r\nhint: install sendctl again\r\n`,
    });
  },
);

describe("the code cache", () => {
  test("is used", async ({ home, expect }) => {
    const { folder, run } = await install(home);
    const script = `
      const { compiled, load } = require("./bin/sendctl.js");
      load("./base.cjs");
      console.log(compiled.map(({ script }) => script.cachedDataRejected).join());`;
    await writeFile(join(folder, "rejected.cjs"), script);
    const { stdout } = await run("rejected.cjs");
    expect(stdout).toMatch(/^false(,false)*$/);
  });

  test("is ignored for another source of the same length", async ({ home, expect }) => {
    const { folder, list } = await install(home);
    expect(await list()).toMatchObject({ exitCode: 0, stdout: listed, stderr: "" });
    const file = join(folder, "dist/base.cjs");
    const source = await readFile(file, "utf8");
    expect(source).toContain("Groups retrieved");
    await writeFile(file, source.replace("Groups retrieved", "Groups RETRIEVED"));
    const changed = { exitCode: 0, stdout: envelopeWith("Groups RETRIEVED"), stderr: "" };
    expect(await list()).toMatchObject(changed);
  });

  test("may be damaged, truncated or missing", async ({ home, expect }) => {
    const { folder, list } = await install(home);
    const file = join(folder, "dist/base.cjs.code");
    const source = await readFile(join(folder, "dist/base.cjs"));
    const cached = await readFile(file);
    const ok = { exitCode: 0, stdout: listed, stderr: "" };
    for (const bytes of [
      cached.subarray(0, source.length),
      cached.subarray(0, source.length + 40),
      cached.subarray(0, -100),
      Buffer.concat([source, Buffer.alloc(5000, 7)]),
      Buffer.alloc(0),
    ]) {
      await writeFile(file, bytes);
      expect(await list()).toMatchObject(ok);
    }
    await rm(file);
    expect(await list()).toMatchObject(ok);
  });
});
