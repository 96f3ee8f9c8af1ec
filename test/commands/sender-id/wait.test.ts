import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { key, now, runAgainst, type RunOptions } from "../../client/run-remote.ts";
import { answering, envelope, page as list, senderId } from "../../client/sample-responses.ts";
import { startService, type Script } from "../../client/scripted-service.ts";
import { dataOf, errorOf, test as cliTest, type Home } from "../../support/home.ts";

/** A response: a status of the sender ID, a refusal, or a page with an HTTP status. */
type Fetched = string | number | { readonly page: number };
const page = { page: 404 };

/** Longer than every pause and shorter than the time limit, so that the limit never ends a wait here. */
const neverEnds = 100_000;

/**
 * Waits on a service that sends each response in turn, and repeats the last one. Pauses take no time.
 *
 * @param listed the names of a list; undefined if a gateway responds to it, too
 */
async function wait(
  fetched: readonly Fetched[],
  args: string,
  options: RunOptions = {},
  listed?: readonly string[],
) {
  let fetches = 0;
  const script: Script = ({ target }, { respond }) => {
    if (!target.startsWith("/v1/sender-id/")) {
      if (listed === undefined) return respond(404, "<h1>Not Found</h1>");
      return respond(200, envelope(list(listed.map((name) => ({ ...senderId, name })))));
    }
    const next = fetched[Math.min(fetches, fetched.length - 1)]!;
    fetches += 1;
    if (typeof next === "number") respond(next, { status: false, message: "No", data: null });
    else if (typeof next === "object") respond(next.page, "<h1>Not Found</h1>");
    else respond(200, envelope({ ...senderId, status: next }, "Sender retrieved"));
  };
  const words = ["sender-id", "wait", "ACME", ...args.split(" ")];
  const ran = await runAgainst(script, words, { neverEnds, clock: { now }, ...options });
  const [limit, ...pauses] = ran.waits;
  return { ...ran, limit, pauses };
}

const pending = (times: number): string[] => Array.from({ length: times }, () => "PENDING");

describe("sender-id wait", () => {
  test("ends at once if the sender ID already has the status", async () => {
    const ran = await wait(["APPROVED"], "--for APPROVED --json");
    expect(ran).toMatchObject({ exitCode: 0, pauses: [], requests: [expect.any(String)] });
    expect(dataOf(ran)).toMatchObject({ status: "APPROVED" });
  });

  test("pauses longer after each fetch", async () => {
    const { limit, pauses } = await wait([...pending(15), "APPROVED"], "--for approved");
    expect([limit, ...pauses.slice(0, 4)]).toStrictEqual([600_000, 1000, 1500, 2250, 3375]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(pauses).toStrictEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses).toHaveLength(15);
  });

  test.for([401, 403, 404, 418])("goes on after a page of a gateway: %i", async (status) => {
    for (const before of [["PENDING"], []]) {
      const ran = await wait([...before, { page: status }, "APPROVED"], "--for APPROVED");
      expect(ran).toMatchObject({ exitCode: 0, violations: [] });
      expect(ran.stderr).toContain(`HTTP ${status}: Not Found; the wait goes on`);
    }
  });

  test("looks a sender ID up in the list after a 404 of a gateway", async () => {
    const listed = await wait([page], "--for PENDING", {}, ["ACME"]);
    expect(listed).toMatchObject({ exitCode: 0, pauses: [] });
    const absent = await wait([page], "--for PENDING", {}, ["Acme"]);
    expect(absent).toMatchObject({ exitCode: 4, pauses: [] });
  });

  test("fetches at a fixed --interval until --within", async () => {
    const args = "--for APPROVED --interval 20s --within 2h";
    const ran = await wait([...pending(3), "APPROVED"], args);
    expect(ran).toMatchObject({ exitCode: 0, limit: 7_200_000, pauses: [20_000, 20_000, 20_000] });
  });

  test.for<[fetched: readonly Fetched[], wanted: string, exitCode: number, stderr: string]>([
    [
      ["PENDING", "REJECTED"],
      "APPROVED",
      13,
      "sendctl: Sender ID ACME is REJECTED and cannot become APPROVED\n",
    ],
    [["PENDING", "REJECTED"], "rejected", 0, "Sender ID ACME is REJECTED\n"],
    [["PENDING", 404], "APPROVED", 4, "sendctl: No (HTTP 404, not_found)\n"],
    [[401], "APPROVED", 3, "sendctl: No (HTTP 401, auth)\n"],
    [
      ["PENDING", "Live"],
      "LIVE",
      0,
      'Warning: unknown status "LIVE" (known: PENDING, APPROVED, REJECTED)\n',
    ],
  ])("on a service that sends %j, for %s, ends with %i", async ([fetched, wanted, code, text]) => {
    const { exitCode, stderr, requests } = await wait(fetched, `--for ${wanted}`);
    expect({ exitCode, requests: requests.length }).toEqual({
      exitCode: code,
      requests: fetched.length,
    });
    expect(stderr.startsWith(text), stderr).toBe(true);
  });

  test.for<[args: string, message: string]>([
    ["--timeout 5m", "missing required option --for (APPROVED, REJECTED or PENDING)"],
    ["--for=", "--for is empty"],
    ["--for APPROVED --timeout 5", 'invalid duration "5" for --timeout'],
    ["--for APPROVED --interval 0s", 'invalid duration "0s" for --interval'],
  ])("rejects %s", async ([args, message]) => {
    const ran = await wait(["APPROVED"], `${args} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(ran)).toMatchObject({ kind: "usage", message });
  });

  test("asks at a terminal whether to wait for an unknown status", async () => {
    const asked = await wait(["LIVE"], "--for LIVE", {
      terminal: 80,
      keys: "n\r",
    });
    expect(asked).toMatchObject({ exitCode: 130, requests: [] });
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

  cliTest("exits at the time limit", async ({ home, expect }) => {
    await homeWithSenderId(home);
    const ended = await start(home, ["--for", "APPROVED", "--timeout", "300ms"]);
    expect(ended).toMatchObject({ exitCode: 13, stdout: "" });
    expect(ended.stderr).toBe(
      "sendctl: Sender ID ACME is still PENDING after 300ms\nhint: run it again, or pass a longer --within\n",
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

  cliTest("goes on through errors that may pass", async ({ home, expect }) => {
    const record = { ...senderId, status: "APPROVED" };
    const passing: Script[] = [
      answering(500, { status: false, message: "Down" }),
      answering(408, "<html>"),
      answering(429, { status: false, message: "Slow" }),
      answering(200, "<html>"),
      (_, { hangUp }) => hangUp(),
      answering(200, envelope(record)),
    ];
    const service = await startService((received, conversation) => {
      passing[Math.min(conversation.index, passing.length - 1)]!(received, conversation);
    });
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: key };
    const wait = ["sender-id", "wait", "ACME", "--for", "APPROVED", "--interval", "1ms"];
    const ended = await home.run([...wait, "--retries", "0"], env);
    await service.close();
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain("Down; the wait goes on");
  });
});
