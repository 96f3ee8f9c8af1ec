import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { openOverSocket } from "../contract/ways.ts";
import type { Outcome } from "../../src/plan/execute.ts";
import type { Step } from "../../src/plan/plan.ts";
import { emptyMemory } from "../../src/plan/memory.ts";
import {
  applyTo,
  changing,
  everything,
  nowhere,
  planFor,
  stateOf,
  type Remembered,
  type State,
} from "./plan-fixtures.ts";

/** How a write goes wrong. */
type Diagnostic = "refused" | "dropped before" | "dropped after" | "garbled after";

/** What changed something, as the service saw it. */
interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
}

interface Saboteur {
  readonly baseUrl: string;
  readonly writes: Write[];
  /** The writes to come until the one that goes wrong; undefined for none. */
  countdown: number | undefined;
  close: () => void;
}

/** Passes requests on to a service, and has one write go wrong. */
async function openSaboteur(target: string, fault: Diagnostic): Promise<Saboteur> {
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming);
    const isWrite = method !== "GET";
    const isHit = isWrite && saboteur.countdown === 0;
    if (isWrite && saboteur.countdown !== undefined) saboteur.countdown -= 1;
    if (isHit && fault === "refused") {
      outgoing.writeHead(500).end('{"status": false, "message": "Broken", "data": null}');
      return;
    }
    if (isHit && fault === "dropped before") return void outgoing.destroy();
    const { hostname, port } = new URL(target);
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, method, path, headers, agent: false }, resolve)
        .once("error", reject)
        .end(body);
    });
    const answer = await text(answered);
    const status = answered.statusCode ?? 0;
    if (isWrite) saboteur.writes.push({ method, path, body: body && JSON.parse(body), status });
    if (isHit && fault === "dropped after") return void outgoing.destroy();
    outgoing.writeHead(status, { "Content-Type": "application/json" });
    outgoing.end(isHit ? "<html>" : answer);
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const saboteur: Saboteur = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes: [],
    countdown: undefined,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return saboteur;
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

const shown = [
  { name: "Changed", send_birthday: true, send_holiday: null, birthday_message: null },
  { name: "Holiday", send_birthday: false, send_holiday: true, birthday_message: null },
  {
    name: "Message",
    send_birthday: false,
    send_holiday: null,
    birthday_message: "Hi {first_name}",
  },
  { name: "No holiday", send_birthday: true, send_holiday: null, birthday_message: null },
  { name: "No message", send_birthday: false, send_holiday: null, birthday_message: null },
  { name: "Plain", send_birthday: false, send_holiday: null, birthday_message: null },
  { name: "Sender alone", send_birthday: false, send_holiday: null, birthday_message: null },
];

/** The sender ID that each group was given last, which no answer shows. */
function sendersOf(writes: readonly Write[], groups: readonly { id: number; name: string }[]) {
  const senders = groups.map(({ id, name }) => {
    const updates = writes.filter(
      ({ method, path, status }) =>
        method === "PUT" && path === `/v1/group/${id}` && status === 200,
    );
    const given = updates.map(({ body }) => (body as { sender_id?: unknown }).sender_id);
    return [name, given.findLast((sender) => sender !== undefined)] as const;
  });
  return Object.fromEntries(senders.filter(([, sender]) => sender !== undefined));
}

function isGroupChange({ kind, action }: Step): boolean {
  return kind === "group" && action !== "delete";
}

/** What one failure may leave behind until the next apply. */
function expectNoHarm(state: State, outcomes: readonly Outcome[], step: string): void {
  const names = state.groups.map(({ name }) => name);
  expect(names.toSorted(), step).toStrictEqual([...new Set(names)].toSorted());
  expect(names, step).toContain("Changed");
  const senders = state.senderIds.map(({ name }) => name);
  const undone = outcomes.filter(({ outcome }) => outcome !== "done").map((one) => one.step);
  const kept = [
    // A group that was not changed may still use what --prune would delete.
    undone.some(isGroupChange) ? "OLD" : [],
    // One failure costs no sender ID, unless its outcome says so.
    undone.some(({ action }) => action === "replace") ? [] : "NEWS",
  ].flat();
  expect(senders, step).toStrictEqual(expect.arrayContaining(kept));
}

const faults: readonly Diagnostic[] = [
  "refused",
  "dropped before",
  "dropped after",
  "garbled after",
];

/** The state file of the first apply, and what the applies after it therefore need. */
const files = [
  ["kept", everything],
  ["lost", { ...everything, resendSenderId: true }],
] as const;

describe.each(faults)("a write that is %s", (fault) => {
  test.for(files)(
    "with the state file %s, at every step in turn: applying again ends in the desired state, with nothing twice",
    async ([file, options]) => {
      let step = 0;
      for (; ; step += 1) {
        let saboteur: Saboteur | undefined;
        const way = await openOverSocket(
          async (baseUrl) => (saboteur = await openSaboteur(baseUrl, fault)).baseUrl,
        );
        onTestFinished(async () => {
          saboteur!.close();
          await way.close();
        });
        const { owner } = way.services;
        const remembered: Remembered = { memory: emptyMemory };
        const apply = () => applyTo(owner, after, everything, remembered);
        await applyTo(owner, before);
        saboteur!.countdown = step;
        const outcomes = await apply();
        const isOver = saboteur!.countdown >= 0;
        expectNoHarm(await stateOf(owner), outcomes, `step ${step}`);
        if (file === "lost") remembered.memory = emptyMemory;
        await applyTo(owner, after, options, remembered);
        await apply();
        const { senderIds, groups } = await stateOf(owner);
        expect(
          senderIds.map(({ name, purpose }) => `${name}: ${purpose}`).toSorted(),
          `step ${step}`,
        ).toStrictEqual(["ACME: Orders", "NEWS: News and offers"]);
        const records = groups
          .map(({ name, send_birthday, send_holiday, birthday_message }) => ({
            name,
            send_birthday,
            send_holiday,
            birthday_message,
          }))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1));
        expect(records, `step ${step}`).toStrictEqual(shown);
        expect(sendersOf(saboteur!.writes, groups), `step ${step}`).toStrictEqual({
          Changed: "ACME",
          "Sender alone": "ACME",
          Message: "ACME",
          "No message": "ACME",
          Holiday: "ACME",
          "No holiday": "NEWS",
        });
        const writes = saboteur!.writes.length;
        const plan = await planFor(owner, after, everything, remembered.memory);
        expect(changing(plan), `step ${step}`).toStrictEqual([]);
        expect(remembered.memory, `step ${step}`).toStrictEqual(emptyMemory);
        expect(saboteur!.writes.length).toBe(writes);
        if (isOver) break;
      }
      expect(step).toBeGreaterThan(10);
    },
  );
});
