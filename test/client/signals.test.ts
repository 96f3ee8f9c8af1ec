import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/home.ts";
import { liveService } from "./apply/apply-remote.ts";
import { freePort } from "../support/ports.mjs";
import { inTime } from "../support/waiting.ts";
import {
  answering,
  commands,
  envelope,
  group,
  scriptFor,
  senderId,
  type Way,
} from "./sample-responses.ts";
import {
  key,
  mayBeDone,
  now,
  run,
  runAgainst,
  runnerOf,
  runOn,
  stopping,
  unchanged,
  violationsOf,
  type RunOptions,
} from "./run-remote.ts";
import { startService, type Script } from "./scripted-service.ts";

const cases = [
  ["SIGINT", 130, "cancelled", "GET"],
  ["SIGINT", 130, "cancelled", "POST"],
  ["SIGTERM", 143, "terminated", "PUT"],
  ["SIGTERM", 143, "terminated", "DELETE"],
  ["SIGTERM", 143, "terminated", "POST sender-id"],
] as const;

describe("a request in flight", () => {
  test.for(cases)("is aborted at %s with %i (%s): %s", async (given, { home, expect }) => {
    const [signal, exitCode, kind, way] = given;
    const events = new EventEmitter();
    const requested = once(events, "request");
    const service = await startService(scriptFor(way, () => void events.emit("request")));
    // The timeout is so long that it is the signal that ends the request.
    const limits = ["--timeout", "1h", "--json"];
    const args = ["--base-url", service.baseUrl, ...commands[way], ...limits];
    const running = home.start(args, { SENDCTL_SECRET_KEY: key });
    await requested;
    running.kill(signal);
    const { stdout, stderr, ...ended } = await inTime("the command ends", running);
    await service.close();
    expect(ended).toMatchObject({ exitCode });
    const isRead = way === "GET";
    expect(stderr).toMatch(/^(?:→ [^\n]+\n)?(?:sendctl: )?[^\n]+\n(?:hint: [^\n]+\n)?$/);
    expect(stderr).toMatch(isRead ? unchanged : mayBeDone);
    // An outcome that is unknown is reported as other errors are.
    if (!isRead) expect(stderr).toMatch(/^sendctl: Interrupted\. /m);
    expect(JSON.parse(stdout)).toMatchObject({ status: false, error: { kind } });
    // Only a write may have to be checked.
    const { hint } = (JSON.parse(stdout) as { error: { hint: string | null } }).error;
    if (way === "GET") expect(hint).toBeNull();
    else expect(hint).toContain("sendctl ");
    expect(service.received).toHaveLength(way === "PUT" || way === "DELETE" ? 2 : 1);
    expect(violationsOf({ exitCode, stdout, stderr, waits: [] }, args)).toStrictEqual([]);
  });
});

describe("a signal between", () => {
  test("two pages of a list", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = (_, { index, respond }) => {
      const records = [{ ...senderId, id: 9 - index }];
      if (index === 1) return stop();
      const numbers = { current_page: index + 1, last_page: 3, per_page: 1, total: 3 };
      return respond(200, envelope({ data: records, ...numbers }));
    };
    const result = await runAgainst(script, ["sender-id", "list", "--all", "--json"], { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(result.received).toHaveLength(2);
    expect(result.stderr).toMatch(unchanged);
  });

  test("a create whose response was lost and its lookup", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = ({ method }, { hangUp }) => (method === "POST" ? hangUp() : stop());
    const result = await runAgainst(script, [...commands["POST sender-id"], "--json"], {
      stopWith,
    });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(result.stderr).toMatch(mayBeDone);
  });

  test("an update whose response was lost and its second attempt", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = (_, { index, hangUp }) => (index === 0 ? hangUp() : stop());
    const result = await runAgainst(scriptFor("PUT", script), commands.PUT, { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(result.stderr).toMatch(mayBeDone);
  });
});

test("a signal while a create is completed may leave it done", async ({ expect }) => {
  const { stop, stopWith } = stopping();
  const script: Script = ({ method }, { respond }) =>
    method === "GET" ? stop() : respond(201, envelope({ id: 12 }));
  const result = await runAgainst(script, commands.POST, { stopWith });
  expect(result).toMatchObject({ exitCode: 130, violations: [] });
  expect(result.stderr).toMatch(/may have succeeded\nhint: sendctl group list --name Customers/);
});

test("a signal while an update is not shown yet may leave it done", async ({ home, expect }) => {
  const { stop, stopWith } = stopping();
  const run = await runnerOf(
    home,
    ({ method }, { respond }) => (method === "PUT" ? respond(204) : respond(200, envelope(group))),
    { stopWith, paused: stop },
  );
  const ran = await run("group", "rename", "12", "B");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 130, violations: [] });
  expect(ran.stderr).toMatch(mayBeDone);
  expect((await run("history")).stdout).toMatch(/ 1 unknown +cannot be undone /);
});

/** Ways in which a request ends without a usable response. */
const ends = {
  lost: (_, { hangUp }) => hangUp(),
  // The only refusal after which nothing can have been done.
  limited: answering(429, { status: false, message: "Slow down", data: null }),
} as const satisfies Readonly<Record<string, Script>>;

/** Responds with a sender ID that has not been reviewed. */
const pending: Script = answering(200, envelope(senderId));

describe("a pause before the next attempt", () => {
  test.for<[way: Way, attempts: readonly (keyof typeof ends)[], consequence: RegExp]>([
    ["GET", ["lost"], unchanged],
    ["PUT", ["lost"], mayBeDone],
    ["DELETE", ["lost"], mayBeDone],
    ["PUT", ["limited"], unchanged],
    ["DELETE", ["limited"], unchanged],
    ["POST", ["limited"], unchanged],
    ["POST sender-id", ["limited"], unchanged],
    ["PUT", ["lost", "limited"], mayBeDone],
    ["PUT", ["limited", "lost"], mayBeDone],
    ["GET", ["lost", "limited"], unchanged],
  ])("%s, %j", async ([way, attempts, consequence], { expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = (received, conversation) =>
      ends[attempts[conversation.index]!](received, conversation);
    let pauses = 0;
    const paused = (): void => {
      pauses += 1;
      if (pauses === attempts.length) stop();
    };
    for (const json of [[], ["--json"]]) {
      pauses = 0;
      const result = await runAgainst(scriptFor(way, script), [...commands[way], ...json], {
        stopWith,
        paused,
      });
      expect(result).toMatchObject({ exitCode: 130, violations: [] });
      const reads = way === "PUT" || way === "DELETE" ? 1 : 0;
      expect(result.received).toHaveLength(attempts.length + reads);
      expect(result.stderr).toMatch(consequence);
    }
  });

  test("after a refused connection: nothing was sent", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const args = ["--base-url", `http://127.0.0.1:${await freePort()}`, ...commands.POST, "--json"];
    const ran = await run(args, { stopWith, paused: stop });
    expect(ran).toMatchObject({ exitCode: 130, waits: [250] });
    expect(ran.stderr).toMatch(unchanged);
    expect(violationsOf(ran, args)).toStrictEqual([]);
  });

  test("before a retry of the lookup after a lost create", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const args = [...commands["POST sender-id"], "--json"];
    const result = await runAgainst(ends.lost, args, { stopWith, paused: stop });
    expect(result).toMatchObject({ exitCode: 130, waits: [250], violations: [] });
    expect(result.received).toHaveLength(2);
    expect(result.stderr).toMatch(mayBeDone);
  });

  test("just ended, before the next attempt is connected", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    // The pause has ended and the next attempt has begun, but nothing of it was sent.
    const paused = (): void => void setImmediate(stop);
    for (const way of ["PUT", "DELETE"] as const) {
      const result = await runAgainst(scriptFor(way, ends.lost), commands[way], {
        stopWith,
        paused,
      });
      expect(result, way).toMatchObject({ exitCode: 130, violations: [] });
      expect(result.stderr, way).toMatch(mayBeDone);
    }
  });

  test("between two polls of a wait", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const args = ["sender-id", "wait", "ACME", "--for", "APPROVED", "--interval", "1s"];
    const paused = (milliseconds: number): void => (milliseconds === 1000 ? stop() : undefined);
    const result = await runAgainst(pending, args, { stopWith, paused, neverEnds: 60_000 });
    expect(result).toMatchObject({ exitCode: 130, stdout: "", violations: [] });
    expect(result.received).toHaveLength(1);
  });
});

test("an undo after one that may have created a group names it, and its records can be applied", async ({
  home,
  expect,
}) => {
  const { stopWith, stop } = stopping();
  const names = ["A", "B", "C"];
  const groups = names.map((name, index) => ({ ...group, id: index + 1, name, uuid: undefined }));
  let isLost = false;
  let time = now;
  const { script, tables } = liveService({
    groups,
    stored: (record) => {
      const isNew = record["created_at"] === group.created_at;
      const created_at = isNew ? new Date(time).toISOString() : record["created_at"];
      return { ...group, uuid: undefined, contacts_count: 0, ...record, created_at };
    },
  });
  const service = await startService((received, conversation) => {
    // The first group is created, and its response is lost with the signal.
    const isFirst = isLost && received.method === "POST";
    script(received, isFirst ? { ...conversation, respond: () => stop() } : conversation);
  });
  const runLine = (words: string, options: RunOptions = {}): ReturnType<typeof runOn> =>
    runOn(service, words.split(" "), {
      ...options,
      clock: { now: (time += 1000) },
      home: home.folder,
    });
  expect(await runLine("group delete A B C --yes")).toMatchObject({ exitCode: 0 });
  isLost = true;
  expect(await runLine("undo --yes", { stopWith })).toMatchObject({ exitCode: 130 });
  isLost = false;
  expect(tables.group.length).toBeGreaterThan(0);
  const refused = await runLine("undo --yes");
  expect(refused, refused.stderr).toMatchObject({ exitCode: 12 });
  expect(refused.stderr).toMatch(/another one has its name[\s\S]* -o yaml/);
  const before = await runLine("history 2 -o yaml");
  const file = join(home.folder, "before.yaml");
  await writeFile(file, before.stdout);
  expect(await runLine(`apply ${file} --yes`)).toMatchObject({ exitCode: 0 });
  expect(new Set(tables.group.map(({ name }) => name))).toStrictEqual(new Set(names));
  expect(tables.group).toHaveLength(3);
  await service.close();
});
