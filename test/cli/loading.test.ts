import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test, type Home } from "../support/home.ts";

/** Prints the loaded files of the bundle, and modules of Node that take long to load, on stderr when the process ends. */
const reporter = `
const fs = require("node:fs");
const read = fs.readFileSync;
const loaded = new Set();
fs.readFileSync = function (file) {
  const [, name] = /dist[/]([^/]+)[.]cjs$/.exec(String(file)) ?? [];
  if (name !== undefined) loaded.add(name);
  return read.apply(this, arguments);
};
process.on("exit", () => {
  fs.writeSync(2, "loaded: " + [...loaded].sort().join(" ") + "\\n");
  const slow = ["child_process", "crypto", "http"].filter((name) => process.moduleLoadList.includes("NativeModule " + name));
  fs.writeSync(2, "slow: " + slow.join(" ") + "\\n");
});`;

async function reported(home: Home, args: readonly string[], env: object): Promise<string> {
  const file = join(home.folder, "reporter.cjs");
  await writeFile(file, reporter);
  const { stderr } = await execa(process.execPath, ["--require", file, launcher, ...args], {
    env: { ...home.env, ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  return stderr;
}

async function loadedBy(home: Home, args: readonly string[], env = {}): Promise<string[]> {
  return /^loaded: (.*)$/m.exec(await reported(home, args, env))![1]!.split(" ");
}

const always = ["base", "rolldown-runtime"];

describe("a command loads only what it uses:", () => {
  for (const [line, further] of [
    ["--help", ""],
    ["group --help", "commands"],
    ["group list --json", "commands engine"],
    ["group list -o jsonl --all", "commands engine"],
    ["group list --per-page x", "commands"],
    ["profile list --json", "commands commands-seldom"],
    ["group list --dry-run", "commands client"],
    ["completion bash", "commands commands-seldom"],
    ["schema manifest", "commands shared"],
    ["local key list --json", "commands commands-seldom engine"],
    ["local contact list 1 --json", "commands commands-seldom contacts engine"],
    ["local seed -q --json", "commands commands-seldom engine seed local"],
  ] as const) {
    test(line, async ({ home, expect }) => {
      const wanted = [...always, ...further.split(" ").filter((name) => name !== "")];
      expect(await loadedBy(home, line.split(" "))).toStrictEqual(wanted.toSorted());
    });
  }

  test("a table, and colours if they are enabled", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const args = ["group", "list"];
    const wanted = [...always, "commands", "engine", "table"];
    expect(await loadedBy(home, args)).toStrictEqual(wanted.toSorted());
    const env = { FORCE_COLOR: "1" };
    expect(await loadedBy(home, args, env)).toStrictEqual([...wanted, "source"].toSorted());
  });

  test("the widths of characters only for scripts that need them", async ({ home, expect }) => {
    for (const name of [
      "Zoë – “Φίλοι”…",
      "Друзья",
      "お友だちグループ",
      "客户名单",
      "친구",
      "חברים",
    ]) {
      await home.run(["group", "create", name]);
    }
    const args = ["group", "list"];
    const wanted = [...always, "commands", "engine", "table"];
    expect(await loadedBy(home, args)).toStrictEqual(wanted.toSorted());
    await home.run(["group", "create", "เพื่อน"]);
    expect(await loadedBy(home, args)).toStrictEqual([...wanted, "string-width"].toSorted());
  });

  test("the remote client without engine and proxy", async ({ home, expect }) => {
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:1", SENDCTL_SECRET_KEY: "sk_test_1234" };
    const args = ["group", "list", "--json", "--retries", "0"];
    expect(await loadedBy(home, args, env)).toStrictEqual(
      [...always, "commands", "client"].toSorted(),
    );
  });
});

describe("a command loads no module of Node that takes long and that it does not use:", () => {
  for (const [line, slow] of [
    ["--help", ""],
    ["group list --json", ""],
    ["group list", ""],
    ["group create Friends", ""],
    ["group list --base-url http://127.0.0.1:1 --retries 0", "http"],
  ] as const) {
    test(line, async ({ home, expect }) => {
      const env = { SENDCTL_SECRET_KEY: line.includes("http") ? "sk_test_1234" : undefined };
      const stderr = await reported(home, line.split(" "), env);
      expect(/^slow: (.*)$/m.exec(stderr)?.[1]).toBe(slow);
    });
  }
});

test("the chunk of common commands contains no rare ones", async ({ expect }) => {
  const text = await readFile(join(dirname(launcher), "../dist/commands.cjs"), "utf8");
  // Plans, injected faults, serve and profiles.
  for (const other of ["must be replaced", "drop=", "--auto-approve-after", "--with-key"]) {
    expect(text).not.toContain(other);
  }
  expect(text).toContain("--birthday-message");
});
