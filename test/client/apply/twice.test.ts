import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type Home } from "../../support/home.ts";
import { until } from "../../support/waiting.ts";
import { key } from "../run-remote.ts";
import { senderId } from "../sample-responses.ts";
import { startService } from "../scripted-service.ts";
import { liveService } from "./apply-remote.ts";

/** Starts an apply of Customers with ACME in a process of its own. */
function startApply(home: Home, baseUrl: string) {
  writeFileSync(join(home.folder, "m.json"), JSON.stringify(withSender));
  const args = ["apply", "m.json", "--yes", "--base-url", baseUrl];
  return home.start(args, { SENDCTL_SECRET_KEY: key });
}

const withSender = { groups: [{ name: "Customers", sender_id: "ACME" }] };

/** A live service that reports the first PUT and handles it later. */
async function startSlow() {
  const live = liveService({ senderIds: [senderId] });
  const events = new EventEmitter();
  const isPut = once(events, "put");
  const late: (() => void)[] = [];
  const service = await startService((received, conversation) => {
    if (received.method !== "PUT" || late.length > 0) return live.script(received, conversation);
    late.push(() => live.script(received, conversation));
    events.emit("put");
  });
  return { ...live, service, isPut, goOn: () => late[0]!() };
}

test("a second apply of the same user waits for the first", async ({ home, expect }) => {
  const { service, isPut, goOn, tables } = await startSlow();
  const first = startApply(home, service.baseUrl);
  await isPut;
  const second = startApply(home, service.baseUrl);
  let stderr = "";
  second.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await until("the second waits", () => stderr.includes("waiting up to 10 minutes"));
  goOn();
  expect([(await first).exitCode, (await second).exitCode]).toStrictEqual([0, 0]);
  expect(stderr).toContain("Nothing to apply");
  expect(tables.group).toHaveLength(1);
  await service.close();
});

test("an apply that is killed between two requests is finished by the next one", async ({
  home,
  expect,
}) => {
  const { service, isPut } = await startSlow();
  const killed = startApply(home, service.baseUrl);
  await isPut;
  killed.kill("SIGKILL");
  await killed;
  const { length } = service.received;
  expect((await startApply(home, service.baseUrl)).exitCode).toBe(0);
  const writes = service.received.slice(length).filter(({ method }) => method !== "GET");
  expect(writes.map(({ method, body }) => [method, JSON.parse(body)])).toMatchObject([
    ["PUT", { sender_id: "ACME" }],
  ]);
  await service.close();
});
