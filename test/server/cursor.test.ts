import { expect, test } from "vitest";
import type { PartialBehaviour } from "../../src/contract/behaviour.ts";
import { newKey, send, startRunning, type Running } from "./running-server.ts";

async function withGroups(behaviour: PartialBehaviour = {}): Promise<Running> {
  const running = await startRunning({ behaviour });
  for (const name of ["A", "B", "C", "D", "E"]) {
    await send(running, "POST", "/v1/group", { body: { name } });
  }
  return running;
}

test("each page of a list has a cursor in its header, and the body does not change with it", async () => {
  const running = await withGroups();
  const first = await send(running, "GET", "/v1/group?perPage=2");
  const cursor = first.headers["sendctl-cursor"];
  expect(cursor).toMatch(/^[\w-]+$/);
  const byNumber = await send(running, "GET", "/v1/group?perPage=2&page=2");
  const byCursor = await send(
    running,
    "GET",
    `/v1/group?perPage=2&page=2&cursor=${String(cursor)}`,
  );
  expect(byCursor.text).toBe(byNumber.text);
  expect(byCursor.headers["sendctl-cursor"]).toBe(byNumber.headers["sendctl-cursor"]);
  const created = await send(running, "POST", "/v1/group", { body: { name: "F" } });
  expect(created.headers).not.toHaveProperty("sendctl-cursor");
  const moved = await send(running, "GET", `/v1/group?perPage=2&page=2&cursor=${String(cursor)}`);
  expect(JSON.parse(moved.text)).toMatchObject({
    data: { data: [{ name: "C" }, { name: "B" }], current_page: 2, last_page: 3, total: 6 },
  });
});

test("a cursor of another integration shows none of its records", async () => {
  const running = await withGroups();
  await running.engine.administration.createIntegration("other");
  const key = await newKey(running.engine, "other");
  await send(running, "POST", "/v1/group", { key, body: { name: "Theirs" } });
  const { headers } = await send(running, "GET", "/v1/group?perPage=2");
  const path = `/v1/group?perPage=2&cursor=${String(headers["sendctl-cursor"])}`;
  const response = await send(running, "GET", path, { key });
  expect(JSON.parse(response.text)).toMatchObject({
    data: { data: [{ name: "Theirs" }], total: 1 },
  });
  expect(response.headers).not.toHaveProperty("sendctl-cursor");
});

test.for([
  { page_parameter: "ignored" },
  { page_parameter: "refused" },
  { past_the_end: "last" },
  { past_the_end: "refused" },
] as const)("a service with other pages has no cursors: %j", async (behaviour) => {
  const running = await withGroups(behaviour);
  const { headers } = await send(running, "GET", "/v1/group?perPage=2");
  expect(headers).not.toHaveProperty("sendctl-cursor");
});
