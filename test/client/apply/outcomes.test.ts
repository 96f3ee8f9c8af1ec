import { setTimeout } from "node:timers/promises";
import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { senderId } from "../sample-responses.ts";
import { applyManifest, liveService, openLive, refusal } from "./apply-remote.ts";
import type { RemoteRun } from "../run-remote.ts";
import type { Conversation } from "../scripted-service.ts";

const json = "apply --yes --json --retries 0";

interface Printed {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: object;
}

function printed({ stdout }: RemoteRun): Printed {
  return JSON.parse(stdout) as Printed;
}

const invalid = { status: false, message: "Invalid name", data: null };

/** Refuses a create as invalid after 100 ms, or as unavailable at once. */
async function refuse(isSlow: boolean, { respond }: Conversation): Promise<void> {
  if (isSlow) await setTimeout(100);
  respond(isSlow ? 422 : 500, isSlow ? invalid : refusal);
}

describe("several steps that fail", () => {
  const manifest = { groups: [{ name: "A" }, { name: "B" }, { name: "C" }] };
  test.for([
    ["A", 6, ["A", "B", "C"]],
    ["B", 8, ["A", "B", "C"]],
  ] as const)(
    "end with the code of the first in the plan, whichever failed first: %s is slow",
    async ([slow, exitCode, names], { home, expect }) => {
      const { apply } = await openLive(home, {
        instead: ({ method, body }, conversation) => {
          if (method !== "POST" || body.includes('"C"')) return false;
          void refuse(body.includes(`"${slow}"`), conversation);
          return true;
        },
      });
      const result = await apply(manifest, json);
      expect(result).toMatchObject({ exitCode, violations: [] });
      const { message, data } = printed(result);
      const steps = data["steps"] as readonly Readonly<Record<string, unknown>>[];
      expect(steps.map(({ name }) => name)).toStrictEqual(names);
      expect(message).toMatch(/^Applied 1 of 3\. Could not create group A: /);
      const failed = slow === "A" ? steps[0] : steps[1];
      expect(failed).toMatchObject({
        outcome: "failed",
        error: { kind: "invalid", http_status: 422, hint: null },
      });
      expect(steps[2]).not.toHaveProperty("error");
    },
  );
});

describe("apply again is said", () => {
  const saying = /(?:run )?apply again/;
  test.for([
    ["not after a refusal, which would come again", 422, false],
    ["not after a 404", 404, false],
    ["after an error of the service", 500, true],
  ] as const)("%s", async ([, status, isSaid], { home, expect }) => {
    const { apply } = await openLive(home, {
      senderIds: [senderId],
      instead: ({ method }, { respond }) => {
        if (method === "PUT") respond(status, refusal);
        return method === "PUT";
      },
    });
    const manifest = { groups: [{ name: "A", sender_id: senderId.name }] };
    const { exitCode, stderr } = await apply(manifest, "apply --yes --retries 0");
    expect(exitCode).toBe({ 404: 4, 422: 6, 500: 8 }[status]);
    expect(saying.test(stderr), stderr).toBe(isSaid);
  });
});

describe("a step that was carried out in part is incomplete:", () => {
  test("a group that was created and could not be completed", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, {
      senderIds: [senderId],
      instead: ({ method }, { respond }) => {
        if (method === "PUT") respond(503, refusal);
        return method === "PUT";
      },
    });
    const manifest = { groups: [{ name: "A", sender_id: senderId.name }, { name: "B" }] };
    const result = await apply(manifest, json);
    expect(result).toMatchObject({ exitCode: 8, violations: [] });
    const { message, data } = printed(result);
    const id = tables.group.find(({ name }) => name === "A")?.["id"];
    expect(data).toMatchObject({
      applied: 1,
      failed: 0,
      incomplete: 1,
      not_tried: 0,
      summary: { created: 2 },
      steps: [
        { outcome: "incomplete", id, error: { kind: "unavailable", http_status: 503 } },
        { outcome: "done" },
      ],
    });
    expect(message).toContain(`Created group A (id ${String(id)}), but incomplete: `);
    expect(result.stderr).toContain("Applied 1 of 2 · 2 created (1 incomplete); ");
  });

  test("a sender ID that was deleted and could not be created again", async ({ home, expect }) => {
    const { script } = liveService({
      senderIds: [senderId],
      instead: ({ method }, { respond }) => {
        if (method === "POST") respond(500, refusal);
        return method === "POST";
      },
    });
    const manifest = { sender_ids: [{ name: senderId.name, purpose: "News" }] };
    const args = [...json.split(" "), "--replace"];
    const result = await applyManifest(home, manifest, script, args);
    expect(result).toMatchObject({ exitCode: 8, violations: [] });
    const { data } = printed(result);
    expect(data).toMatchObject({ failed: 0, incomplete: 1, steps: [{ outcome: "incomplete" }] });
    expect(result.stderr).toContain("the sender ID was deleted and not created again");
  });
});

test("a step of unknown outcome has the command to check it", async ({ home, expect }) => {
  const { apply } = await openLive(home, {
    instead: ({ method }, { hangUp }) => {
      if (method === "POST") hangUp();
      return method === "POST";
    },
  });
  const result = await apply({ groups: [{ name: "A" }] }, json);
  expect(result).toMatchObject({ exitCode: 9, violations: [] });
  expect(result.stderr).toContain(
    "Applied 0 of 1; 1 step may or may not have been applied; check it, then run apply again\n",
  );
  const error = { kind: "outcome_unknown", http_status: null };
  expect(printed(result).data).toMatchObject({ steps: [{ outcome_unknown: true, error }] });
});
