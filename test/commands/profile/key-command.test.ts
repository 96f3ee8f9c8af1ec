import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { captureOutput } from "../../../src/core/programs.ts";
import { startService } from "../../client/scripted-service.ts";
import { writeConfig } from "../../support/config-file.ts";
import { test, type Home } from "../../support/home.ts";
import { until } from "../../support/waiting.ts";

const key = "sk_that_is_on_no_disk_1234";

async function listening(status = 200) {
  const page = { data: [], current_page: 1, last_page: 1, per_page: 1, total: 0 };
  const ok = { status: true, message: "Senders retrieved", data: page };
  const no = { status: false, message: `No, not ${key}`, data: null };
  return startService((_, { respond }) => respond(status, status === 200 ? ok : no));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function write(home: Home, profile: object): Promise<void> {
  await writeConfig(home, { current: "prod", profiles: { prod: profile } });
}

describe("a command whose output is captured", () => {
  const signal = new AbortController().signal;
  const capture = (command: string): ReturnType<typeof captureOutput> =>
    captureOutput(command, { PATH: process.env["PATH"] }, 20_000, signal);

  test("may start an agent that keeps its output open", async ({ expect }) => {
    const startedAt = performance.now();
    const captured = await capture("sleep 15 & echo $!; echo key");
    const [pid, text] = "text" in captured ? captured.text.split("\n") : [];
    process.kill(Number(pid));
    expect(text).toBe("key");
    // The agent would end after that.
    expect(performance.now() - startedAt).toBeLessThan(14_000);
  });

  test("is read to its end", async ({ expect }) => {
    const captured = await capture("seq 1 9000; exit 3");
    expect(captured).toMatchObject({ code: 3 });
    expect("text" in captured && captured.text.split("\n").at(-2)).toBe("9000");
  });
});

describe.concurrent("a key command", () => {
  test("has no standard input, and its stderr is shown", async ({ home, expect }) => {
    const service = await listening();
    const keyCommand = `cat; echo needs a passphrase >&2; echo ${key}`;
    await write(home, { baseUrl: service.baseUrl, keyCommand });
    const outcome = await home.shell("echo sk_of_the_input | sendctl sender-id list");
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(outcome.stderr).toContain("needs a passphrase\n");
    expect(service.received[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    await service.close();
  });

  test("is ended by its timeout and by a signal", async ({ home, expect }) => {
    const file = join(home.folder, "pid");
    for (const [failure, timeout] of [
      ["timeout", 2000],
      ["stopped", 600_000],
    ] as const) {
      const stop = new AbortController();
      const command = `echo $$ > '${file}'; exec sleep 600`;
      const captured = captureOutput(command, process.env, timeout, stop.signal);
      let running = 0;
      await until("the command runs", async () => {
        running = existsSync(file) ? Number(await readFile(file, "utf8")) : 0;
        return running > 0;
      });
      if (failure === "stopped") stop.abort();
      expect(await captured).toStrictEqual({ failure });
      await until("the command has ended", () => !isRunning(running));
      await rm(file);
    }
  });
});
