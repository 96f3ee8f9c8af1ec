import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { openOverSocket } from "../../contract/transports.ts";
import type { Outcome } from "../../../src/manifest/plan/execute.ts";
import type { Step } from "../../../src/manifest/plan/plan.ts";
import { emptyMemory } from "../../../src/manifest/plan/memory.ts";
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

/** How a write fails. */
type Failure = "refused" | "dropped before" | "dropped after" | "garbled after";

/** A write that the service has processed. */
interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
}

interface Saboteur {
  readonly baseUrl: string;
  readonly writes: Write[];
  /** Number of writes before the one that fails; undefined for none. */
  countdown: number | undefined;
  close: () => void;
}

/** Forwards requests to a service and makes one write fail. */
async function openSaboteur(target: string, failure: Failure): Promise<Saboteur> {
  const server = createServer((incoming, outgoing) => {
    void forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming);
    const isWrite = method !== "GET";
    const isHit = isWrite && saboteur.countdown === 0;
    if (isWrite && saboteur.countdown !== undefined) saboteur.countdown -= 1;
    if (isHit && failure === "refused") {
      outgoing.writeHead(500).end('{"status": false, "message": "Broken", "data": null}');
      return;
    }
    if (isHit && failure === "dropped before") return void outgoing.destroy();
    const { hostname, port } = new URL(target);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, method, path, headers, agent: false }, resolve)
        .once("error", reject)
        .end(body);
    });
    const responseText = await text(response);
    const status = response.statusCode ?? 0;
    if (isWrite) saboteur.writes.push({ method, path, body: body && JSON.parse(body), status });
    if (isHit && failure === "dropped after") return void outgoing.destroy();
    outgoing.writeHead(status, { "Content-Type": "application/json" });
    outgoing.end(isHit ? "<html>" : responseText);
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

/** Returns the last sender ID that was sent for each group. Responses do not show it. */
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

/** Expects that a failure has not deleted or duplicated anything. */
function expectNoHarm(state: State, outcomes: readonly Outcome[], step: string): void {
  const names = state.groups.map(({ name }) => name);
  expect(names.toSorted(), step).toStrictEqual([...new Set(names)].toSorted());
  expect(names, step).toContain("Changed");
  const senders = state.senderIds.map(({ name }) => name);
  const undone = outcomes.filter(({ outcome }) => outcome !== "done").map((one) => one.step);
  const expected = [
    // A group that was not changed may still use the sender ID that --prune would delete.
    undone.some(isGroupChange) ? "OLD" : [],
    // A failure does not lose a sender ID unless its outcome reports it.
    undone.some(({ action }) => action === "replace") ? [] : "NEWS",
  ].flat();
  expect(senders, step).toStrictEqual(expect.arrayContaining(expected));
}

const failures: readonly Failure[] = [
  "refused",
  "dropped before",
  "dropped after",
  "garbled after",
];

/** Whether the state file of the first apply is kept, and the options that later applies therefore need. */
const files = [
  ["kept", everything],
  ["lost", { ...everything, resendSenderId: true }],
] as const;

describe.each(failures)("a write that is %s", (failure) => {
  test.for(files)(
    "with the state file %s, at any step: applying again reaches the desired state without duplicates",
    async ([file, options]) => {
      let step = 0;
      for (; ; step += 1) {
        let saboteur: Saboteur | undefined;
        const way = await openOverSocket(
          async (baseUrl) => (saboteur = await openSaboteur(baseUrl, failure)).baseUrl,
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
