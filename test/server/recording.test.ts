import { expect, test } from "vitest";
import {
  createRecording,
  type Answer,
  type ReceivedRequest,
} from "../../src/server/control/recording.ts";

const request: ReceivedRequest = {
  head: { method: "POST", pathname: "/v1/group", query: "" },
  body: undefined,
  keys: [],
  integration: "default",
  operation: "group.create",
  requestId: "id",
  headers: {},
  time: 0,
};

const answer: Answer = { status: 201, response: "{}", fault: undefined, milliseconds: 1 };

test("a recording has the newest 10,000 requests", () => {
  const { begin, requests, clear } = createRecording();
  for (let number = 1; number <= 25_000; number += 1)
    begin({ ...request, head: { ...request.head, pathname: `/${number}` } })(answer);
  const recorded = requests();
  expect(recorded).toHaveLength(10_000);
  expect([recorded[0]?.path, recorded.at(-1)?.path]).toEqual(["/15001", "/25000"]);
  clear();
  begin(request)(answer);
  expect(requests()).toHaveLength(1);
});

test("a recording has at most 8 MiB, and no request that began before it was cleared", () => {
  const { begin, requests, clear } = createRecording();
  const body = Buffer.alloc(1024 * 1024, "1");
  for (let number = 1; number <= 20; number += 1)
    begin({ ...request, head: { ...request.head, pathname: `/${number}` }, body })(answer);
  expect(requests().map(({ path }) => path)).toEqual(
    [14, 15, 16, 17, 18, 19, 20].map((n) => `/${n}`),
  );
  const record = begin(request);
  clear();
  record(answer);
  expect(requests()).toEqual([]);
});
