import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { execa } from "execa";
import { describe, expect, test, vi } from "vitest";
import type { Capabilities } from "../../../src/cli/capabilities.ts";
import {
  waitForStatus,
  type WaitOptions,
} from "../../../src/commands/sender-id/wait/wait-for-status.ts";
import { exitCodeOfReply } from "../../../src/output/exit-codes.ts";
import { createProgress } from "../../../src/output/progress.ts";
import { serviceOf, type Reply } from "../../../src/contract/service.ts";
import { SendctlError } from "../../../src/contract/error.ts";
import { launcher, test as cliTest, type Home } from "../../support/home.ts";
import { envelope, senderId } from "../../remote/sample-responses.ts";
import { key } from "../../remote/run-remote.ts";
import { inTime } from "../../support/waiting.ts";
import { startService } from "../../remote/scripted-service.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Returns a clock that jumps to the next timer once everything sleeps. */
function createTestClock() {
  let now = 0;
  const sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  const tick = (): void => {
    sleepers.sort((one, other) => one.until - other.until);
    const next = sleepers.shift();
    if (next === undefined) return;
    now = next.until;
    next.wake();
  };
  return {
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ until: now + milliseconds, wake });
        // The first timer is the time limit, which only elapses together with pauses.
        if (sleepers.length > 1) setImmediate(tick);
      }),
    /** Advances the time during a request without a response. */
    tick: () => setImmediate(tick),
  };
}

/** The result of a fetch: a status, a reply, or undefined for no response. */
type Fetched = string | Reply | undefined;

function replyWith(status: string): Reply {
  const body = envelope({ ...senderId, status }, "Sender retrieved");
  return { status: 200, text: JSON.stringify(body), envelope: body as Reply["envelope"] };
}

const notFound: Reply = { status: 404, text: "{}", envelope: undefined };

interface Waited {
  readonly exitCode: number | undefined;
  readonly failure: SendctlError | undefined;
  /** Time of each fetch, in milliseconds. */
  readonly fetches: readonly number[];
  readonly printed: string;
  readonly warned: readonly string[];
  readonly sketched: readonly string[];
}

/** Waits on a service that returns each result in turn, and repeats the last one. */
async function wait(
  script: readonly Fetched[],
  options: WaitOptions,
  isWatched = false,
): Promise<Waited> {
  const clock = createTestClock();
  const fetches: number[] = [];
  const printed: string[] = [];
  const warned: string[] = [];
  const sketched: string[] = [];
  const fetch = (): Promise<Reply> => {
    const fetched = script[Math.min(fetches.length, script.length - 1)];
    fetches.push(clock.now());
    if (fetched === undefined) {
      clock.tick();
      return new Promise(() => {});
    }
    return Promise.resolve(typeof fetched === "string" ? replyWith(fetched) : fetched);
  };
  const show = async (reply: Reply) => {
    printed.push(reply.text);
    return exitCodeOfReply(reply);
  };
  const capabilities = {
    service: serviceOf(() => fetch),
    ask: { prompter: () => undefined },
    output: {
      record: show,
      refusal: show,
      warn: async (line: string) => void warned.push(line),
      progress: () =>
        createProgress({
          elapsed: clock.now,
          isWatched: () => isWatched,
          rewriteLine: async (text: string) => void sketched.push(text),
        }),
    },
    clock: { elapsed: clock.now, sleep: clock.sleep },
  } as unknown as Capabilities;
  let exitCode: number | undefined;
  let failure: SendctlError | undefined;
  try {
    exitCode = await waitForStatus(capabilities, ["ACME"], options);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    failure = error;
  }
  return { exitCode, failure, fetches, printed: printed.join(""), warned, sketched };
}

const approved: WaitOptions = { for: "APPROVED" };

describe("waitForStatus", () => {
  test("ends at once if the sender ID already has the status", async () => {
    const { exitCode, fetches, printed } = await wait(["APPROVED"], approved);
    expect({ exitCode, fetches }).toStrictEqual({ exitCode: 0, fetches: [0] });
    expect(JSON.parse(printed)).toMatchObject({ data: { status: "APPROVED" } });
  });

  test("pauses longer after each fetch", async () => {
    const { fetches } = await wait(["PENDING"], { ...approved, timeout: "10m" });
    const pauses = fetches.slice(1).map((at, index) => at - fetches[index]!);
    expect(pauses.slice(0, 4)).toStrictEqual([1000, 1500, 2250, 3375]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(pauses).toStrictEqual(pauses.toSorted((one, other) => one - other));
    expect(fetches.length).toBeLessThan(30);
  });

  test("fetches at a fixed --interval", async () => {
    const { fetches, exitCode } = await wait(["PENDING", "PENDING", "PENDING", "APPROVED"], {
      ...approved,
      interval: "20s",
    });
    expect(fetches).toStrictEqual([0, 20_000, 40_000, 60_000]);
    expect(exitCode).toBe(0);
  });

  test("fails at the time limit", async () => {
    const { failure, fetches } = await wait(["PENDING"], {
      ...approved,
      interval: "4s",
      timeout: "10s",
    });
    expect(fetches).toStrictEqual([0, 4000, 8000]);
    expect(failure).toMatchObject({
      kind: "wait",
      message: "Sender ID ACME is still PENDING after 10s",
    });
  });

  test("fails at the time limit during a fetch without a response", async () => {
    const ended = wait([undefined], { ...approved, timeout: "5s" });
    const { failure } = await inTime("the timeout of 5s", ended);
    expect(failure).toMatchObject({ kind: "wait" });
    expect(failure!.message).toContain("within 5s");
  });

  test("fails if the sender ID is REJECTED, unless that is the wanted status", async () => {
    const { failure, fetches } = await wait(["PENDING", "REJECTED"], approved);
    expect(failure).toMatchObject({
      kind: "wait",
      message: "Sender ID ACME is REJECTED and cannot become APPROVED",
    });
    expect(fetches).toHaveLength(2);
    expect(await wait(["PENDING", "REJECTED"], { for: "rejected" })).toMatchObject({ exitCode: 0 });
  });

  test("ends if the sender ID was deleted or the request is rejected", async () => {
    expect(await wait(["PENDING", notFound], approved)).toMatchObject({ exitCode: 4 });
    const refused = { status: 401, text: "{}", envelope: undefined };
    expect(await wait([refused], approved)).toMatchObject({ exitCode: 3 });
  });

  test("accepts an unknown status with a warning", async () => {
    expect(await wait(["PENDING", "Live"], { for: "LIVE" })).toMatchObject({
      exitCode: 0,
      warned: ['unknown status "LIVE" (known: PENDING, APPROVED, REJECTED)'],
    });
    expect(await wait(["APPROVED"], approved)).toMatchObject({ warned: [] });
  });

  test.for<[options: WaitOptions, message: RegExp]>([
    [{}, /^missing required option --for STATUS/],
    [{ for: " " }, /^--for is empty/],
    [{ ...approved, timeout: "5" }, /^invalid duration "5" for --timeout$/],
    [{ ...approved, interval: "0s" }, /^invalid duration "0s" for --interval$/],
  ])("rejects %j", async ([options, message]) => {
    const { failure, fetches } = await wait(["APPROVED"], options);
    expect(failure).toMatchObject({ kind: "usage", message: expect.stringMatching(message) });
    expect(fetches).toStrictEqual([]);
  });

  test("shows progress at a terminal and clears it", async () => {
    const script = ["PENDING", "PENDING", "PENDING", "APPROVED"];
    const { sketched } = await wait(script, approved, true);
    expect(sketched.join("")).toContain("Sender ID ACME is PENDING · 1s of 10m");
    expect(sketched.at(-1)).toBe("");
    expect((await wait(script, approved)).sketched).toStrictEqual([]);
  });
});

type Environment = Readonly<Record<string, string>>;

/** Milliseconds after which a program that should have ended is killed, and then has no exit code. */
const killTimeout = 20_000;

function sendctl(home: Home, args: readonly string[], env: Environment = {}) {
  return execa(process.execPath, [launcher, ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    timeout: killTimeout,
  });
}

function start(home: Home, args: readonly string[], env?: Environment) {
  return sendctl(home, ["sender-id", "wait", "ACME", ...args], env);
}

async function homeWithSenderId(home: Home): Promise<void> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Offers"]);
}

function review(home: Home, status: string): void {
  const database = connect(home.database);
  database.prepare("UPDATE sender_id SET status = ? WHERE name = 'ACME'").run(status);
  database.close();
}

describe.concurrent("the built program", () => {
  cliTest.for<[status: string, exitCode: number]>([
    ["APPROVED", 0],
    ["REJECTED", 13],
  ])(
    "notices that another process sets the status to %s",
    async ([status, exitCode], { home, expect }) => {
      await homeWithSenderId(home);
      const waiting = start(home, ["--for", "APPROVED", "--interval", "50ms", "--json"]);
      await setTimeout(500);
      review(home, status);
      const ended = await waiting;
      expect(ended.exitCode).toBe(exitCode);
      const shown: unknown = JSON.parse(ended.stdout);
      if (exitCode === 0) expect(shown).toMatchObject({ status: true, data: { status } });
      else expect(shown).toMatchObject({ status: false, data: null, error: { kind: "wait" } });
    },
  );

  cliTest("exits at the time limit", async ({ home, expect }) => {
    await homeWithSenderId(home);
    const ended = await start(home, ["--for", "APPROVED", "--timeout", "300ms"]);
    expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
    expect(ended.stderr).toBe(
      "sendctl: Sender ID ACME is still PENDING after 300ms\nhint: run it again, or pass a longer --timeout",
    );
  });

  cliTest("exits at the time limit if the service never responds", async ({ home, expect }) => {
    const service = await startService(() => {});
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const ended = await start(home, ["--for", "APPROVED", "--timeout", "300ms"], env);
    await service.close();
    expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
    expect(ended.stderr).toMatch(/^sendctl: Sender ID ACME could not be fetched within 300ms\n/);
  });

  cliTest.for<[signal: "SIGINT" | "SIGTERM", exitCode: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("exits on %s during a pause", async ([signal, code], { home, expect }) => {
    const requests = new EventEmitter();
    const requested = once(requests, "request");
    const service = await startService((_, { respond }) => {
      respond(200, envelope(senderId));
      requests.emit("request");
    });
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const waiting = start(home, ["--for", "APPROVED", "--interval", "1h"], env);
    await requested;
    waiting.kill(signal);
    expect(await waiting).toMatchObject({ exitCode: code, stdout: "" });
    expect(service.received).toHaveLength(1);
    await service.close();
  });

  cliTest("fetches from a remote service until it has the status", async ({ home, expect }) => {
    const service = await startService((_, { index, respond }) => {
      const status = index < 2 ? "PENDING" : "APPROVED";
      respond(200, envelope({ ...senderId, status }, "Sender retrieved"));
    });
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const ended = await start(home, ["--for", "approved", "--interval", "10ms", "--json"], env);
    expect(ended.exitCode).toBe(0);
    expect(service.received).toHaveLength(3);
    await service.close();
  });

  cliTest("accepts the --timeout of one attempt before the verb", async ({ home, expect }) => {
    const service = await startService(() => {});
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const wait = ["wait", "ACME", "--for", "APPROVED"];
    const args = ["sender-id", "--timeout", "200ms", "--retries=0", ...wait, "--timeout", "1h"];
    const ended = await sendctl(home, args, env);
    expect(ended).toMatchObject({ exitCode: 8, stdout: "" });
    const refused = await sendctl(home, ["sender-id", ...wait, "--timeout", "soon"], env);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('invalid duration "soon" for --timeout');
    expect(service.received).toHaveLength(1);
    await service.close();
  });
});
