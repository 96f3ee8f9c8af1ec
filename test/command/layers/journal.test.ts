import { join } from "node:path";
import { createJournal } from "../../../src/command/layers/journal.ts";
import type { Shared } from "../../../src/command/process.ts";
import type { Reply } from "../../../src/contract/service.ts";
import { createSecrets } from "../../../src/core/secrets.ts";
import { test, type Home } from "../../support/home.ts";

async function locked(): Promise<Reply> {
  throw new Error("the database is locked");
}

function journalIn(home: Home) {
  const shared = {
    settings: { database: join(home.folder, "my.db"), isJournaled: true },
    runtime: { env: {}, home: home.folder, now: () => 1e15, random: Math.random },
    secrets: createSecrets(),
    output: {},
    argv: ["group", "delete", "1"],
    cleanups: [],
  };
  return createJournal(shared as unknown as Shared, {
    senderIdOf: async () => undefined,
    groupsOf: async () => [],
  });
}

function replyOf(envelope: { readonly status: boolean; readonly message: string }): Reply {
  const whole = { ...envelope, data: null };
  return { status: 200, text: JSON.stringify(whole), envelope: whole };
}

const deletion = { method: "DELETE", path: "/v1/group/1", body: undefined };
const unread = { before: null, onRead: () => {}, isListRead: false };
const write = { ...deletion, ...unread, request: () => deletion, fetch: locked };

test("a write is sent once, even if its record cannot be read before", async ({ home, expect }) => {
  const journal = journalIn(home);
  const reply = replyOf({ status: true, message: "Group deleted" });
  let count = 0;
  const send = async (): Promise<Reply> => {
    count += 1;
    return reply;
  };
  expect(await journal.layer(write, send)).toBe(reply);
  expect(count).toBe(1);
  expect(await journal.entries()).toMatchObject([{ steps: [{ problem: "unread" }] }]);
});

test("a refusal with a status of success changes nothing", async ({ home, expect }) => {
  const journal = journalIn(home);
  const refused = replyOf({ status: false, message: "In use" });
  expect(await journal.layer(write, async () => refused)).toMatchObject(refused);
  expect(await journal.entries()).toEqual([]);
});
