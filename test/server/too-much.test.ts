import { expect, test } from "vitest";
import { ask, startRunning } from "./running-server.ts";
import { until } from "../support/waiting.ts";

/** Answered when the test says so: a database that is slow. */
function gate() {
  const waiting: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return {
    opened,
    open: () => {
      for (const resolve of waiting) resolve();
    },
  };
}

test("what comes beyond what can be carried out at once is sent away, and nothing of it is done", async () => {
  const { open, opened } = gate();
  const running = await startRunning({
    mostAtOnce: 3,
    engine: (engine) => ({
      ...engine,
      callerOf: async (key) => {
        const caller = await engine.callerOf(key);
        if (caller === undefined) return undefined;
        const create: (typeof caller.service)["group.create"] = async (input) => {
          await opened;
          return caller.service["group.create"](input);
        };
        return { ...caller, service: { ...caller.service, "group.create": create } };
      },
    }),
  });
  const create = (name: string) => ask(running, "POST", "/v1/group", { body: { name } });
  const first = ["A", "B", "C"].map(create);
  await until(
    "a request is refused",
    async () => (await ask(running, "GET", "/v1/group")).status !== 200,
  );
  const beyond = await create("D");
  expect(beyond.status).toBe(503);
  expect(beyond.headers["retry-after"]).toBe("1");
  expect(JSON.parse(beyond.text)).toStrictEqual({
    status: false,
    message: "The service has too much to do just now",
    data: null,
  });
  open();
  expect((await Promise.all(first)).map(({ status }) => status)).toStrictEqual([201, 201, 201]);
  const { text } = await ask(running, "GET", "/v1/group");
  expect((JSON.parse(text) as { data: { total: number } }).data.total).toBe(3);
  expect((await create("E")).status).toBe(201);
});
