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

/** Time that passes when everybody sleeps. */
function handMadeClock() {
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
        // The clock of the whole wait begins first, and goes on only with the pauses.
        if (sleepers.length > 1) setImmediate(tick);
      }),
    /** For a look that takes for ever. */
    tick: () => setImmediate(tick),
  };
}

/** A status, an answer, or none for ever. */
type Look = string | Reply | undefined;

function replyWith(status: string): Reply {
  const answer = envelope({ ...senderId, status }, "Sender retrieved");
  return { status: 200, text: JSON.stringify(answer), envelope: answer as Reply["envelope"] };
}

const notFound: Reply = { status: 404, text: "{}", envelope: undefined };

interface Waited {
  readonly exitCode: number | undefined;
  readonly failure: SendctlError | undefined;
  /** When each look was, in milliseconds. */
  readonly looks: readonly number[];
  readonly printed: string;
  readonly warned: readonly string[];
  readonly sketched: readonly string[];
}

/** Waits on a service that shows one status after the other, and the last for ever. */
async function wait(
  script: readonly Look[],
  options: WaitOptions,
  isWatched = false,
): Promise<Waited> {
  const clock = handMadeClock();
  const looks: number[] = [];
  const printed: string[] = [];
  const warned: string[] = [];
  const sketched: string[] = [];
  const fetch = (): Promise<Reply> => {
    const look = script[Math.min(looks.length, script.length - 1)];
    looks.push(clock.now());
    if (look === undefined) {
      clock.tick();
      return new Promise(() => {});
    }
    return Promise.resolve(typeof look === "string" ? replyWith(look) : look);
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
  return { exitCode, failure, looks, printed: printed.join(""), warned, sketched };
}

const approved: WaitOptions = { for: "APPROVED" };

describe("waiting", () => {
  test("ends at once where there is nothing to wait for", async () => {
    const { exitCode, looks, printed } = await wait(["APPROVED"], approved);
    expect({ exitCode, looks }).toStrictEqual({ exitCode: 0, looks: [0] });
    expect(JSON.parse(printed)).toMatchObject({ data: { status: "APPROVED" } });
  });

  test("looks less and less often", async () => {
    const { looks } = await wait(["PENDING"], { ...approved, timeout: "10m" });
    const pauses = looks.slice(1).map((at, index) => at - looks[index]!);
    expect(pauses.slice(0, 4)).toStrictEqual([1000, 1500, 2250, 3375]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(pauses).toStrictEqual(pauses.toSorted((one, other) => one - other));
    expect(looks.length).toBeLessThan(30);
  });

  test("looks as often as it is told", async () => {
    const { looks, exitCode } = await wait(["PENDING", "PENDING", "PENDING", "APPROVED"], {
      ...approved,
      interval: "20s",
    });
    expect(looks).toStrictEqual([0, 20_000, 40_000, 60_000]);
    expect(exitCode).toBe(0);
  });

  test("runs out of time", async () => {
    const { failure, looks } = await wait(["PENDING"], {
      ...approved,
      interval: "4s",
      timeout: "10s",
    });
    expect(looks).toStrictEqual([0, 4000, 8000]);
    expect(failure).toMatchObject({
      kind: "wait",
      message: "Sender ID ACME is PENDING after 10s",
    });
  });

  test("runs out of time during a look that never ends", async () => {
    const ended = wait([undefined], { ...approved, timeout: "5s" });
    const { failure } = await inTime("the timeout of 5s", ended);
    expect(failure).toMatchObject({ kind: "wait" });
    expect(failure!.message).toContain("after 5s");
  });

  test("ends when it is REJECTED, unless that is waited for", async () => {
    const { failure, looks } = await wait(["PENDING", "REJECTED"], approved);
    expect(failure).toMatchObject({
      kind: "wait",
      message: "Sender ID ACME is REJECTED and will not become APPROVED",
    });
    expect(looks).toHaveLength(2);
    expect(await wait(["PENDING", "REJECTED"], { for: "rejected" })).toMatchObject({ exitCode: 0 });
  });

  test("ends when it is gone, or refused", async () => {
    expect(await wait(["PENDING", notFound], approved)).toMatchObject({ exitCode: 4 });
    const refused = { status: 401, text: "{}", envelope: undefined };
    expect(await wait([refused], approved)).toMatchObject({ exitCode: 3 });
  });

  test("warns of a status that nobody knows, and takes it", async () => {
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
  ])("is refused with %j", async ([options, message]) => {
    const { failure, looks } = await wait(["APPROVED"], options);
    expect(failure).toMatchObject({ kind: "usage", message: expect.stringMatching(message) });
    expect(looks).toStrictEqual([]);
  });

  test("shows a person how it stands, and takes that away", async () => {
    const script = ["PENDING", "PENDING", "PENDING", "APPROVED"];
    const { sketched } = await wait(script, approved, true);
    expect(sketched.join("")).toContain("Sender ID ACME is PENDING · 1s of 10m");
    expect(sketched.at(-1)).toBe("");
    expect((await wait(script, approved)).sketched).toStrictEqual([]);
  });
});

type Environment = Readonly<Record<string, string>>;

/** Milliseconds after which a program that should have ended is ended, and then has no exit code. */
const longest = 20_000;

function sendctl(home: Home, args: readonly string[], env: Environment = {}) {
  return execa(process.execPath, [launcher, ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    timeout: longest,
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
  ])("sees another process make it %s", async ([status, exitCode], { home, expect }) => {
    await homeWithSenderId(home);
    const waiting = start(home, ["--for", "APPROVED", "--interval", "50ms", "--json"]);
    await setTimeout(500);
    review(home, status);
    const ended = await waiting;
    expect(ended.exitCode).toBe(exitCode);
    const shown: unknown = JSON.parse(ended.stdout);
    if (exitCode === 0) expect(shown).toMatchObject({ status: true, data: { status } });
    else expect(shown).toMatchObject({ status: false, data: null, error: { kind: "wait" } });
  });

  cliTest("runs out of time, and is gone then", async ({ home, expect }) => {
    await homeWithSenderId(home);
    const ended = await start(home, ["--for", "APPROVED", "--timeout", "300ms"]);
    expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
    expect(ended.stderr).toBe(
      "sendctl: Sender ID ACME is PENDING after 300ms\nhint: wait again, or longer with --timeout",
    );
  });

  cliTest(
    "does not outlive its wait for a service that never answers",
    async ({ home, expect }) => {
      const service = await startService(() => {});
      const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
      const ended = await start(home, ["--for", "APPROVED", "--timeout", "300ms"], env);
      await service.close();
      expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
      expect(ended.stderr).toMatch(/^sendctl: Sender ID ACME is not known after 300ms/);
    },
  );

  cliTest.for<[signal: "SIGINT" | "SIGTERM", exitCode: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])(
    "ends at %s between two looks, and not an hour later",
    async ([signal, code], { home, expect }) => {
      const looks = new EventEmitter();
      const looked = once(looks, "look");
      const service = await startService((_, { respond }) => {
        respond(200, envelope(senderId));
        looks.emit("look");
      });
      const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
      const waiting = start(home, ["--for", "APPROVED", "--interval", "1h"], env);
      await looked;
      waiting.kill(signal);
      expect(await waiting).toMatchObject({ exitCode: code, stdout: "" });
      expect(service.received).toHaveLength(1);
      await service.close();
    },
  );

  cliTest("looks again at a service", async ({ home, expect }) => {
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

  cliTest("takes the --timeout of one attempt before its own", async ({ home, expect }) => {
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
