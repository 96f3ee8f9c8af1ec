import { join } from "node:path";
import { createRecorder } from "../../src/command/recording.ts";
import type { Shared } from "../../src/command/process.ts";
import type { Reply } from "../../src/contract/service.ts";
import { createSecrets } from "../../src/output/secrets.ts";
import { test } from "../support/home.ts";

async function locked(): Promise<Reply> {
  throw new Error("the database is locked");
}

test("a write is sent once, even if its record cannot be read before", async ({ home, expect }) => {
  const shared = {
    settings: { database: join(home.folder, "my.db") },
    runtime: { env: {}, home: home.folder, now: () => 1e15, random: Math.random },
    secrets: createSecrets(),
    output: {},
    argv: ["group", "delete", "1"],
    cleanups: [],
  };
  const recorder = createRecorder(shared as unknown as Shared, {
    senderIdOf: async () => undefined,
    groupsOf: async () => [],
  });
  const deleted = { status: true, message: "Group deleted", data: null };
  const reply: Reply = { status: 200, text: JSON.stringify(deleted), envelope: deleted };
  let count = 0;
  const send = async (): Promise<Reply> => {
    count += 1;
    return reply;
  };
  const write = { method: "DELETE", path: "/v1/group/1" };
  expect(await recorder.record(write, send, locked)).toBe(reply);
  expect(count).toBe(1);
  expect(await recorder.entries()).toMatchObject([{ steps: [{ problem: "unread" }] }]);
});
