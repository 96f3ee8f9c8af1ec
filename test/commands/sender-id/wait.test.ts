import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { key, now, runAgainst, type RunOptions } from "../../client/run-remote.ts";
import { envelope, senderId } from "../../client/sample-responses.ts";
import { startService, type Script } from "../../client/scripted-service.ts";
import { test as cliTest, type Home } from "../../support/home.ts";

/** Waits on a service that sends each status in turn. Pauses take no time, and no time limit ends the wait. */
async function wait(statuses: readonly string[], args: string, options: RunOptions = {}) {
  const script: Script = (_, { index, respond }) =>
    respond(200, envelope({ ...senderId, status: statuses[index] }, "Sender retrieved"));
  const words = ["sender-id", "wait", "ACME", ...args.split(" ")];
  // Longer than every pause.
  const ran = await runAgainst(script, words, { neverEnds: 100_000, clock: { now }, ...options });
  const [limit, ...pauses] = ran.waits;
  return { ...ran, limit, pauses };
}

const pending = (times: number): string[] => Array.from({ length: times }, () => "PENDING");

describe("sender-id wait", () => {
  test("pauses longer after each fetch", async () => {
    const { limit, pauses } = await wait([...pending(15), "APPROVED"], "--for approved");
    expect([limit, ...pauses.slice(0, 4)]).toStrictEqual([600_000, 1000, 1500, 2250, 3375]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(pauses).toStrictEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses).toHaveLength(15);
  });

  test("fetches at a fixed --interval until --within", async () => {
    const args = "--for APPROVED --interval 20s --within 2h";
    const ran = await wait([...pending(3), "APPROVED"], args);
    expect(ran).toMatchObject({ exitCode: 0, limit: 7_200_000, pauses: [20_000, 20_000, 20_000] });
  });

  test("shows progress at a terminal and clears it", async () => {
    const fetched = [...pending(3), "APPROVED"];
    const shown = await wait(fetched, "--for APPROVED", { terminal: 80 });
    expect(shown.stderr).toContain("Sender ID ACME is PENDING · 1s of 10m");
    expect(shown.stderr.slice(shown.stderr.lastIndexOf("PENDING"))).toContain("\r\u001b[K");
    expect((await wait(fetched, "--for APPROVED")).stderr).toBe("Sender ID ACME is APPROVED\n");
  });
});

function start(home: Home, args: readonly string[], env?: Readonly<Record<string, string>>) {
  return home.start(["sender-id", "wait", "ACME", ...args], env);
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

  cliTest("accepts the --timeout of one attempt before the verb", async ({ home, expect }) => {
    const service = await startService(() => {});
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const wait = ["wait", "ACME", "--for", "APPROVED"];
    const args = ["sender-id", "--timeout", "200ms", "--retries=0", ...wait, "--timeout", "1s"];
    const ended = await home.run(args, env);
    expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
    expect(ended.stderr).toContain("no response within 0.2 s; the wait goes on");
    const refused = await home.run(["sender-id", ...wait, "--timeout", "soon"], env);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('invalid duration "soon" for --timeout');
    await service.close();
  });
});
