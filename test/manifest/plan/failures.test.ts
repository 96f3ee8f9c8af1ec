import { describe, expect, onTestFinished, test } from "vitest";
import { operations, type OperationName } from "../../../src/contract/operations.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { readFault } from "../../../src/server/faults.ts";
import { openClient } from "../../contract/transports.ts";
import { startRunning } from "../../server/running-server.ts";
import type { Outcome } from "../../../src/manifest/plan/execute.ts";
import type { Step } from "../../../src/manifest/plan/plan.ts";
import {
  applyTo,
  changing,
  everything,
  nowhere,
  planFor,
  shownOf,
  stateOf,
  type Remembered,
  type State,
} from "./plan-fixtures.ts";

/** How a write fails. */
const failures = {
  refused: "status=500",
  "dropped before": "drop=before",
  "dropped after": "drop=after",
};

const names = Object.keys(operations) as OperationName[];
const writes = new Set(names.filter((name) => operations[name].method !== "GET"));

/** Starts a server on which one write fails. @param skip number of writes before it */
async function startFailing(effect: string, skip: number) {
  const fault = { ...readFault(`*:${effect},skip=${skip},times=1`), operations: writes };
  const running = await startRunning({ faults: [fault] });
  const client = await openClient(`http://127.0.0.1:${running.port}`, running.key);
  onTestFinished(client.close);
  return {
    owner: client.service,
    /** The engine behind it. */
    engine: await running.engine.service(undefined),
    hasFailed: () => running.served.some(({ fault }) => fault !== undefined),
    senders: () => sendersIn(running.file),
  };
}

const location = nowhere;

const before: Manifest = {
  senderIds: [
    { name: "OLD", purpose: "Gone tomorrow", location },
    { name: "NEWS", purpose: "News", location },
  ],
  groups: [
    { name: "Old", send_birthday: false, location },
    { name: "Changed", send_birthday: false, birthday_message: "Hello", location },
  ],
};

const after: Manifest = {
  senderIds: [
    { name: "NEWS", purpose: "News and offers", location },
    { name: "ACME", purpose: "Orders", location },
  ],
  groups: [
    { name: "Changed", send_birthday: true, birthday_message: null, sender_id: "ACME", location },
    { name: "Plain", location },
    { name: "Sender alone", sender_id: "ACME", location },
    { name: "Message", birthday_message: "Hi {first_name}", sender_id: "ACME", location },
    { name: "No message", birthday_message: null, sender_id: "ACME", location },
    { name: "Holiday", send_holiday: true, sender_id: "ACME", location },
    { name: "No holiday", send_birthday: true, send_holiday: null, sender_id: "NEWS", location },
  ],
};

const unset = { send_birthday: false, send_holiday: null, birthday_message: null };
const shown = {
  senderIds: [
    { name: "ACME", purpose: "Orders" },
    { name: "NEWS", purpose: "News and offers" },
  ],
  groups: [
    { ...unset, name: "Changed", send_birthday: true },
    { ...unset, name: "Holiday", send_holiday: true },
    { ...unset, name: "Message", birthday_message: "Hi {first_name}" },
    { ...unset, name: "No holiday", send_birthday: true },
    { ...unset, name: "No message" },
    { ...unset, name: "Plain" },
    { ...unset, name: "Sender alone" },
  ],
};

/** Returns the names of groups with their sender IDs, which responses do not show. */
function sendersIn(file: string): Readonly<Record<string, string>> {
  const database = connect(file, { readonly: true });
  const rows = database
    .prepare<[], { readonly name: string; readonly sender: string }>(
      "SELECT g.name, s.name AS sender FROM contact_group g JOIN sender_id s ON s.id = g.sender_id",
    )
    .all();
  database.close();
  return Object.fromEntries(rows.map(({ name, sender }) => [name, sender]));
}

function isGroupChange({ kind, action }: Step): boolean {
  return kind === "group" && action !== "delete";
}

/** Expects that a failure has not deleted or duplicated anything. */
function expectNoHarm(state: State, outcomes: readonly Outcome[], step: string): void {
  const names = state.groups.map(({ name }) => name);
  expect(names.toSorted(), step).toStrictEqual([...new Set(names)].toSorted());
  expect(names, step).toContain("Changed");
  const senders = state.senderIds.map(({ name }) => name);
  const undone = outcomes.filter(({ result }) => result !== "done").map((one) => one.step);
  const expected = [
    // A group that was not changed may still use the sender ID that --prune would delete.
    undone.some(isGroupChange) ? "OLD" : [],
    // A failure does not lose a sender ID unless its outcome reports it.
    undone.some(({ action }) => action === "replace") ? [] : "NEWS",
  ].flat();
  expect(senders, step).toStrictEqual(expect.arrayContaining(expected));
}

/** Whether the state file of the first apply is kept, and the options that later applies therefore need. */
const files = [
  ["kept", everything],
  ["lost", { ...everything, resendSenderId: true }],
] as const;

describe.each(Object.entries(failures))("a write that is %s", (_, effect) => {
  test.for(files)(
    "with the state file %s, at any step: applying again reaches the desired state without duplicates",
    async ([file, options]) => {
      let step = 0;
      for (let isOver = false; !isOver; step += 1) {
        const { owner, engine, hasFailed, senders } = await startFailing(effect, step);
        const remembered: Remembered = { memory: [] };
        await applyTo(engine, before);
        const outcomes = await applyTo(owner, after, everything, remembered);
        isOver = !hasFailed();
        expectNoHarm(await stateOf(engine), outcomes, `step ${step}`);
        if (file === "lost") remembered.memory = [];
        await applyTo(owner, after, options, remembered);
        await applyTo(engine, after, everything, remembered);
        expect(shownOf(await stateOf(engine)), `step ${step}`).toStrictEqual(shown);
        expect(senders(), `step ${step}`).toStrictEqual({
          Changed: "ACME",
          "Sender alone": "ACME",
          Message: "ACME",
          "No message": "ACME",
          Holiday: "ACME",
          "No holiday": "NEWS",
        });
        const plan = await planFor(engine, after, everything, remembered.memory);
        expect(changing(plan), `step ${step}`).toStrictEqual([]);
        expect(remembered.memory, `step ${step}`).toStrictEqual([]);
      }
      expect(step).toBeGreaterThan(11);
    },
  );
});
