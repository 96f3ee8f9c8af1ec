import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { test, type Home } from "../support/home.ts";
import { liveService } from "./apply/apply-remote.ts";
import { runOn } from "./run-remote.ts";
import { group, senderId } from "./sample-responses.ts";
import { startService, type Script } from "./scripted-service.ts";

const groups = Array.from({ length: 12 }, (_, index) => ({
  ...group,
  id: index + 1,
  uuid: `00000000-0000-4000-8000-0000000000${String(index + 10)}`,
  name: `Group ${index + 1}`,
}));

const manifest = {
  sender_ids: [{ name: "NEW", purpose: "News" }],
  groups: [{ name: "Group 1", send_birthday: false }, { name: "New" }, { name: "Newer" }],
};

/** Commands that write, and how many writes each sends. */
const commands: readonly (readonly [line: string, writes: number])[] = [
  ["sender-id create NEW --purpose News", 1],
  ["sender-id create NEW --purpose News --if-not-exists", 1],
  ["sender-id delete ACME --yes", 1],
  ["group create New", 1],
  ["group create New --if-not-exists", 1],
  ["group update 1 --no-send-birthday", 1],
  ["group rename 1 Renamed", 1],
  ["group delete 1 --yes", 1],
  ["group delete 1 2 3 4 5 6 7 8 9 10 11 12 --yes", 12],
  ["apply m.json --yes", 4],
  ["api POST /v1/group --body {}", 1],
  ["api PUT /v1/group/1 --body {}", 1],
  ["api PATCH /v1/group/1 --body {}", 1],
  ["api DELETE /v1/group/1", 1],
];

/** What a service does with a connection after each response, besides reading the next request. */
const habits: Readonly<
  Record<string, readonly [headers: Readonly<Record<string, string>>, closes: boolean]>
> = {
  "keeps it open": [{ "Keep-Alive": "timeout=5" }, false],
  "announces that it closes it": [{ Connection: "close" }, true],
  "closes it unannounced": [{ Connection: "keep-alive" }, true],
};

/** Starts a service that loses each write over a connection that was used before or has been open for a second. */
async function startLosing(home: Home, habit: string) {
  const [headers, closes] = habits[habit]!;
  const { script, tables } = liveService({ groups, senderIds: [senderId] });
  const used = new Set<object>();
  const opened = new Map<object, number>();
  let idle = 0;
  const losing: Script = (received, conversation) => {
    const { socket, hangUp, respond } = conversation;
    const isIdle = used.has(socket) || Date.now() - opened.get(socket)! > 1500;
    used.add(socket);
    if (isIdle && !["GET", "HEAD"].includes(received.method)) {
      idle += 1;
      return hangUp();
    }
    return script(received, {
      ...conversation,
      respond: (status, body) => {
        respond(status, body, headers);
        if (closes) socket.end();
      },
    });
  };
  const service = await startService(losing, (socket) => !opened.set(socket, Date.now()));
  onTestFinished(service.close);
  await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
  return {
    tables,
    run: (line: string) => runOn(service, line.split(" "), { home: home.folder }),
    writesOverIdle: () => idle,
  };
}

const cases = Object.keys(habits).flatMap((habit) =>
  commands.map(([line, writes]) => [habit, line, writes] as const),
);

test.for(cases)(
  "a service that %s gets each write of `%s` on a new connection",
  async ([habit, line, writes], { home, expect }) => {
    const { run, writesOverIdle } = await startLosing(home, habit);
    const ran = await run(line);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(writesOverIdle()).toBe(0);
    const sent = ran.requests.filter((request) => !request.startsWith("GET"));
    expect(sent).toHaveLength(writes);
  },
);

test.for(Object.keys(habits))(
  "a service that %s gets an undo on a new connection",
  async (habit, { home, expect }) => {
    const { run, tables, writesOverIdle } = await startLosing(home, habit);
    expect(await run("group delete 3 4 5 --yes")).toMatchObject({ exitCode: 0 });
    expect(tables.group).toHaveLength(9);
    const undone = await run("undo --yes");
    expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
    expect(tables.group).toHaveLength(12);
    expect(writesOverIdle()).toBe(0);
  },
);

test("a read over a connection that the service has closed is sent again at once, without retries", async ({
  home,
  expect,
}) => {
  const used = new Set<object>();
  const { script } = liveService({ groups });
  const service = await startService((received, conversation) => {
    if (used.has(conversation.socket)) return conversation.hangUp();
    used.add(conversation.socket);
    return script(received, conversation);
  });
  onTestFinished(service.close);
  const ids = groups.map(({ id }) => String(id));
  const ran = await runOn(service, ["group", "fetch", ...ids, "--retries", "0", "-o", "id"], {
    home: home.folder,
  });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, waits: [] });
  expect(ran.stdout.trim().split("\n")).toStrictEqual(ids);
});
