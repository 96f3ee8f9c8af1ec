import { setTimeout } from "node:timers/promises";
import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, senderId } from "../sample-responses.ts";
import {
  applyManifest,
  created,
  failures,
  liveService,
  openLive,
  outcomesOf,
  refusal,
  serveRecords,
  writesOf,
} from "./apply-remote.ts";
import { stopping } from "../run-remote.ts";
import type { Conversation, Script } from "../scripted-service.ts";

const apply = ["apply", "--prune", "--replace", "--yes", "--json", "--retries", "0"];

describe("two hundred groups", () => {
  const groups = Array.from({ length: 200 }, (_, index) => ({ name: `Group ${index}` }));

  test("are not all sent after rate limits", async ({ home, expect }) => {
    const limit: Script = answering(429, "", { "Retry-After": "30" });
    const args = ["apply", "--yes", "--json"];
    const result = await applyManifest(home, { groups }, serveRecords({}, limit), args);
    expect(result).toMatchObject({ exitCode: 7, violations: [] });
    expect(writesOf(result).length).toBeLessThan(100);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { applied: 0 } });
  });

  test.for(["a 500", "a 503 of a gateway", "a lost response", "a garbled response"])(
    "are not all sent to a service that responds to everything with %s",
    async (way, { home, expect }) => {
      const result = await applyManifest(home, { groups }, serveRecords({}, failures[way]!), apply);
      expect([8, 9, 10]).toContain(result.exitCode);
      expect(result.violations).toStrictEqual([]);
      // When the third request fails, 15 others are in flight. A 503 may be a limit of the rate: those sent together count once.
      expect(writesOf(result).length).toBeGreaterThanOrEqual(3);
      expect(writesOf(result).length).toBeLessThanOrEqual(way === "a 503 of a gateway" ? 48 : 18);
      const failed = writesOf(result).length;
      expect(JSON.parse(result.stdout)).toMatchObject({
        data: { applied: 0, failed, not_tried: 200 - failed },
      });
    },
  );

  test.for([
    ["a conflict", 5],
    ["a refusal", 6],
  ] as const)("are all tried if each ends in %s", async ([way, exitCode], { home, expect }) => {
    const result = await applyManifest(home, { groups }, serveRecords({}, failures[way]!), apply);
    expect(result).toMatchObject({ exitCode, violations: [] });
    expect(writesOf(result)).toHaveLength(200);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { failed: 200, outcome_unknown: 0 } });
  });

  test("are cancelled at Ctrl-C, whatever failed before", async ({ home, expect }) => {
    const { stop, stopWith } = stopping();
    const script = serveRecords({}, ({ body }, conversation) => {
      if (body.includes('"Group 0"')) return conversation.respond(409);
      if (!body.includes('"Group 50"')) return created(body, conversation);
      stop();
    });
    const result = await applyManifest(home, { groups }, script, ["apply", "--yes", "--json"], {
      stopWith,
    });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind: "cancelled" } });
    expect(result.stderr).toContain("409");
  });

  test("are all tried if every second one fails", async ({ home, expect }) => {
    let creates = 0;
    const script: Script = (received, conversation) => {
      creates += 1;
      if (creates % 2 === 0) failures["a 500"]!(received, conversation);
      else created(received.body, conversation);
    };
    const result = await applyManifest(home, { groups }, serveRecords({}, script), apply);
    expect(result.violations).toStrictEqual([]);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { not_tried: 0 } });
  });
});

test("sender IDs are deleted one after another", async ({ home, expect }) => {
  const names = ["A", "B", "C"];
  const senderIds = names.map((name, index) => ({ ...senderId, id: index + 1, name }));
  const open = { now: 0, most: 0 };
  const { script } = liveService({ senderIds });
  const slow: Script = (received, conversation) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    setImmediate(() => {
      open.now -= 1;
      script(received, conversation);
    });
  };
  const result = await applyManifest(home, { sender_ids: [] }, slow, apply);
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
  expect(writesOf(result)).toHaveLength(3);
  expect(open.most).toBe(1);
});

/** Creates groups except for C, and completes none. */
const limiting: Script = ({ method, body }, conversation) => {
  const isLimited = body.includes('"C"') || method === "PUT";
  if (isLimited) conversation.respond(429, refusal, { "Retry-After": "7" });
  else created(body, conversation);
};

describe("an interrupted apply", () => {
  test("does not say that nothing was changed beside a created group", async ({ home, expect }) => {
    const manifest = { groups: [{ name: "A" }, { name: "B", send_holiday: true }, { name: "C" }] };
    const args = ["apply", "--yes", "--json"];
    const { stop, stopWith } = stopping();
    // The wait after a 429.
    const paused = (milliseconds: number): void => (milliseconds >= 7000 ? stop() : undefined);
    const script = serveRecords({}, limiting);
    const result = await applyManifest(home, manifest, script, args, { stopWith, paused });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(outcomesOf(result)).toMatchObject({
      "create group A": "done",
      "create group B": "incomplete",
      "create group C": "failed",
    });
    expect(result.stdout + result.stderr).not.toMatch(/nothing was changed/i);
    expect(result.stderr).toMatch(/Created group B \(id \d+\), but incomplete: /);
  });

  test("marks what may have been done", async ({ home, expect }) => {
    const { stop, stopWith } = stopping();
    const { script } = liveService({
      instead: ({ method }) => {
        if (method === "POST") stop();
        return method === "POST";
      },
    });
    const args = ["apply", "--yes", "--json"];
    const manifest = { groups: [{ name: "A" }, { name: "B" }] };
    const result = await applyManifest(home, manifest, script, args, { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    const { data, error } = JSON.parse(result.stdout) as Printed;
    expect(error.kind).toBe("cancelled");
    expect(data.steps).toContainEqual(
      expect.objectContaining({ name: "A", outcome: "failed", outcome_unknown: true }),
    );
    expect(result.stderr).toContain("Outcome unknown: create group A");
  });

  test.for(["DELETE", "POST"])(
    "names a sender ID that is lost: at %s",
    async (at, { home, expect }) => {
      const { stop, stopWith } = stopping();
      const { script } = liveService({
        senderIds: [senderId],
        instead: ({ method }) => {
          if (method === at) stop();
          return method === at;
        },
      });
      const manifest = { sender_ids: [{ name: "ACME", purpose: "News" }] };
      const args = ["apply", "--yes", "--replace", "--json"];
      const result = await applyManifest(home, manifest, script, args, { stopWith });
      expect(result).toMatchObject({ exitCode: 130, violations: [] });
      expect(result.stderr).toMatch(/replace sender ID ACME: .*(?:may be deleted|was deleted)/);
    },
  );
});

interface Printed {
  readonly data: { readonly steps: readonly object[] };
  readonly error: { readonly kind: string };
}

/** Refuses a create as invalid after 100 ms, or as unavailable at once. */
async function refuse(isSlow: boolean, { respond }: Conversation): Promise<void> {
  if (isSlow) await setTimeout(100);
  respond(isSlow ? 422 : 500, refusal);
}

test.for([
  ["A", 6],
  ["B", 8],
] as const)(
  "several failed steps end with the code of the first in the plan, whichever failed first: %s is slow",
  async ([slow, exitCode], { home, expect }) => {
    const { apply: applyTo } = await openLive(home, {
      instead: ({ method, body }, conversation) => {
        if (method !== "POST" || body.includes('"C"')) return false;
        void refuse(body.includes(`"${slow}"`), conversation);
        return true;
      },
    });
    const manifest = { groups: [{ name: "A" }, { name: "B" }, { name: "C" }] };
    const result = await applyTo(manifest, "apply --yes --json --retries 0");
    expect(result).toMatchObject({ exitCode, violations: [] });
    const { message } = JSON.parse(result.stdout) as { readonly message: string };
    expect(message).toMatch(/^Applied 1 of 3\. Could not create group A: /);
    expect(Object.keys(outcomesOf(result))).toStrictEqual(
      ["A", "B", "C"].map((name) => `create group ${name}`),
    );
  },
);
