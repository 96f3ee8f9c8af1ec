import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, beforeAll, describe } from "vitest";
import { insertGroups, launcher, makeHome, manyGroups, test, type Home } from "../support/home.ts";

const message = Array.from("{first_name} 🎂🎉 צום געבורטסטאג 👩‍👩‍👧‍👦 誕生日 ".repeat(100))
  .slice(0, 1600)
  .join("");
const groupsInAll = 500;

/** Many long messages: over 1.5 MiB as JSON, more than the buffer of any pipe. No test changes it. */
let full: Home;

beforeAll(async () => {
  full = await makeHome();
  const rows = manyGroups(groupsInAll, message);
  await insertGroups(full, rows);
}, 30_000);

afterAll(() => rm(full.folder, { recursive: true }));

interface Listing {
  readonly data: {
    readonly data: readonly { readonly id: number; readonly birthday_message: string }[];
    readonly current_page: number;
    readonly last_page: number;
    readonly per_page: number;
    readonly total: number;
  };
}

/** Returns whether all records are complete and in order. */
function isComplete(stdout: string, count: number): boolean {
  const { data } = (JSON.parse(stdout) as Listing).data;
  return (
    data.length === count &&
    data.every((group, index) => group.id === count - index && group.birthday_message === message)
  );
}

describe("a listing larger than the buffer of a pipe", () => {
  const all = ["group", "list", "--all", "--json"];

  test("arrives complete", async ({ expect }) => {
    const { stdout, stderr, exitCode } = await full.spawn(all);
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(1.5 * 1024 * 1024);
    expect(isComplete(stdout, groupsInAll)).toBe(true);
    expect({ stderr, exitCode }).toStrictEqual({ stderr: "", exitCode: 0 });
  });

  test("arrives complete on one page", async ({ expect }) => {
    const args = ["group", "list", "--per-page", String(groupsInAll), "--json"];
    expect(isComplete((await full.run(args)).stdout, groupsInAll)).toBe(true);
  });

  test("arrives complete in a file", async ({ expect }) => {
    const { stdout } = await full.shell("sendctl group list --all --json > out && cat out");
    expect(isComplete(stdout, groupsInAll)).toBe(true);
  });

  test("arrives complete with a slow reader", async ({ expect }) => {
    const script = `sendctl group list --all --json | { sleep 0.1; head -c 100000; sleep 0.1; cat; }`;
    const { stdout, exitCode } = await full.shell(`set -o pipefail; ${script}`);
    expect(isComplete(stdout, groupsInAll)).toBe(true);
    expect(exitCode).toBe(0);
  });

  test("arrives complete through a non-blocking pipe", async ({ expect }) => {
    const path = `${full.folder}/pipe`;
    await execa("mkfifo", [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    // Node makes the first three descriptors of a child blocking, so the pipe is the fourth.
    const script = `"${process.execPath}" "${launcher}" group list --all --json >&3`;
    const child = spawn("bash", ["-c", script], {
      env: full.env,
      stdio: ["ignore", "ignore", "inherit", writer],
    });
    const ended = once(child, "close");
    closeSync(writer);
    const chunks: Buffer[] = [];
    for await (const chunk of new Socket({ fd: reader, readable: true })) {
      chunks.push(chunk as Buffer);
      await setTimeout(1);
    }
    expect(await ended).toStrictEqual([0, null]);
    expect(isComplete(Buffer.concat(chunks).toString(), groupsInAll)).toBe(true);
  });

  test("is one envelope of one page", async ({ home, expect }) => {
    const rows = manyGroups(2500);
    await insertGroups(home, rows);
    for (const perPage of [[], ["--per-page", "999"], ["--per-page=7"]]) {
      const { stdout, stderr, exitCode } = await home.run([...all, ...perPage]);
      const { data, ...numbers } = (JSON.parse(stdout) as Listing).data;
      expect(numbers).toStrictEqual({ current_page: 1, last_page: 1, per_page: 2500, total: 2500 });
      expect(data.map(({ id }) => id)).toStrictEqual(rows.map((_, index) => 2500 - index));
      expect({ stderr, exitCode }).toStrictEqual({ stderr: "", exitCode: 0 });
    }
  });

  test("is one table without messages", async ({ home, expect }) => {
    const rows = manyGroups(1200);
    await insertGroups(home, rows);
    const { stdout, stderr } = await home.run(["group", "list", "--all"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(1201);
    expect(lines.slice(1).map((line) => Number.parseInt(line, 10))).toStrictEqual(
      rows.map((_, index) => 1200 - index),
    );
    expect(stderr).toBe("");
  });
});

/** Bash code that opens descriptor 3 as a pipe whose reader is gone. */
const goneReader = "exec 3> >(:); wait $!;";

describe.concurrent("a reader that is gone", () => {
  test.for([
    ["--json", /^\{\n$/],
    ["--json --debug -q", /^\{\n$/],
    ["-o jsonl", /^\{"id":500,.*\}\n$/],
    ["-o table", /^ *ID {2}Name +Contacts .*\n$/],
  ] as const)("ends group list --all %s quietly", async ([format, firstLine], { home, expect }) => {
    const script = `sendctl group list --all ${format} 2>'${home.folder}/err' | head -1`;
    const { stdout, exitCode } = await full.shell(`set -o pipefail; ${script}`);
    const stderr = await readFile(join(home.folder, "err"), "utf8");
    expect(stdout).toMatch(firstLine);
    expect(stderr.replace(/^debug: .*\n/gm, "")).toBe("");
    expect(exitCode).toBe(0);
  });

  test("ends the reading of a filtered list", async ({ expect }) => {
    const args = "group list --search e --per-page 10 -o jsonl --debug";
    const { stderr, exitCode } = await full.shell(`${goneReader} sendctl ${args} >&3`);
    expect(exitCode).toBe(0);
    expect(stderr.match(/group\.list returned/g)).toHaveLength(1);
  });

  for (const args of ["--version", "--help", "group list --json", "group fetch 1 --json"]) {
    test(`before the first output ends ${args} quietly`, async ({ home, expect }) => {
      const isMissing = args.startsWith("group fetch");
      expect(await home.shell(`${goneReader} sendctl ${args} >&3`)).toStrictEqual({
        exitCode: isMissing ? 4 : 0,
        stdout: "",
        stderr: isMissing
          ? `sendctl: Group not found: 1 (not_found, database ${home.database})\n`
          : "",
      });
    });
  }
});

describe.concurrent("standard output", () => {
  const lists = ["group list --json", "group list"];

  for (const args of ["--version", "-V --json", "group fetch 99999 --json", "--help", ...lists]) {
    test.runIf(existsSync("/dev/full"))(
      `on a full disk: ${args} (skipped without /dev/full)`,
      async ({ expect }) => {
        const { stdout, stderr, exitCode } = await full.shell(`sendctl ${args} >/dev/full`);
        const failure = "cannot write to standard output: ENOSPC: no space left on device, write";
        expect({ stdout, stderr }).toStrictEqual({ stdout: "", stderr: `sendctl: ${failure}\n` });
        expect(exitCode).toBe(1);
      },
    );
  }

  test.runIf(existsSync("/dev/full"))(
    "on a full disk ends no command that changes something (skipped without /dev/full)",
    async ({ home, expect }) => {
      const failure =
        "sendctl: cannot write to standard output: ENOSPC: no space left on device, write\nhint: the command was carried out; only its output is lost\n";
      const created = await home.shell("sendctl group create Friends >/dev/full");
      expect(created).toMatchObject({
        exitCode: 1,
        stderr: `Group Friends (id 1) created\n${failure}`,
      });
      const json = await home.shell("sendctl group create Others --json >/dev/full");
      expect(json).toMatchObject({ exitCode: 1, stderr: failure });
      await writeFile(join(home.folder, "m.yaml"), "groups: [{ name: A }, { name: B }]\n");
      const applied = await home.shell("sendctl apply m.yaml --yes >/dev/full");
      expect(applied.exitCode).toBe(1);
      expect(applied.stderr).toContain("Applied 2 of 2 · 2 created");
      expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("4\n3\n2\n1\n");
      expect((await home.shell("sendctl serve --port 0 --json >/dev/full")).exitCode).toBe(1);
      expect((await home.shell("sendctl group delete 9 -y --json >/dev/full")).exitCode).toBe(4);
    },
  );

  test("closed does not fail or stop a command", async ({ home, expect }) => {
    const closed = await home.shell("sendctl group create Friends >&-");
    const stderr = "Group Friends (id 1) created\n";
    expect(closed).toStrictEqual({ exitCode: 0, stdout: "", stderr });
    const missing = await home.shell("sendctl group fetch 2 --json >&-");
    expect(missing).toStrictEqual({
      exitCode: 4,
      stdout: "",
      stderr: `sendctl: Group not found: 2 (not_found, database ${home.database})\n`,
    });
    expect((await home.run(["group", "fetch", "1"])).stdout).toMatch(/^Name {14}Friends$/m);
  });
});

describe.concurrent("standard error", () => {
  const ways = [
    ["closed", "", "2>&-"],
    ["on a full disk", "", "2>/dev/full"],
    ["without a reader", goneReader, "2>&3"],
  ] as const;

  test.for(ways.filter(([, , way]) => way !== "2>/dev/full" || existsSync("/dev/full")))(
    "%s affects neither standard output nor the command",
    async ([, before, redirection], { home, expect }) => {
      await home.run(["group", "create", "Friends"]);
      const run = (args: string) => home.shell(`${before} sendctl ${args} ${redirection}`);
      const created = await run("group create Others --json");
      expect(created).toMatchObject({ exitCode: 0, stderr: "" });
      const open = await home.run(["group", "list", "--per-page", "1"]);
      expect(open.stderr).not.toBe("");
      expect(await run("group list --per-page 1")).toStrictEqual({ ...open, stderr: "" });
      const missing = await run("group fetch 3");
      expect(missing).toStrictEqual({ exitCode: 4, stdout: "", stderr: "" });
    },
  );
});

describe.concurrent("standard input", () => {
  test("is not read by a command that does not need it", async ({ home, expect }) => {
    const script = "{ sendctl group create Friends -q --json; cat; } <<< 'left for others'";
    const { stdout, exitCode } = await home.shell(script);
    expect(stdout.endsWith("}\nleft for others\n")).toBe(true);
    expect(exitCode).toBe(0);
  });

  test("can be closed", async ({ home, expect }) => {
    const { stdout, exitCode } = await home.shell("sendctl group create Friends <&-");
    expect(stdout).toMatch(/^Name {14}Friends$/m);
    expect(exitCode).toBe(0);
    const all = await home.shell("sendctl group fetch 1 <&- >&- 2>&-");
    expect(all).toStrictEqual({ exitCode: 0, stdout: "", stderr: "" });
  });
});
