import { findGroup, findSenderId, type Records } from "./records.ts";
import { pageOf } from "./pages.ts";
import { objectOf } from "./protocol.ts";
import { Refused } from "./refusals.ts";
import { shownGroup, shownSenderId, success, type Response } from "./responses.ts";
import { createGroup, createSenderId, updateGroup, type Body } from "./rules.ts";
import type { Switches } from "./switches.ts";

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly text: string;
}

/** Handles one of the nine operations of the specification, part 4. @throws Refused */
export function respond(records: Records, request: ReceivedRequest, switches: Switches): Response {
  const { method, target, text } = request;
  const { pathname, searchParams } = new URL(target, "http://service");
  const [, version, noun, encoded, ...more] = pathname.split("/");
  if (version !== "v1" || more.length > 0) throw unknownPath();
  const key = encoded === undefined ? undefined : decodeURIComponent(encoded);
  const call = { records, switches, query: searchParams, text, key };
  const operation = key === undefined ? `${method} ${noun}` : `${method} ${noun}/key`;
  const handle = operations[operation];
  if (handle === undefined) throw unknownPath();
  return handle(call);
}

interface Call {
  readonly records: Records;
  readonly switches: Switches;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly key: string | undefined;
}

const operations: Readonly<Record<string, (call: Call) => Response>> = {
  "POST sender-id": ({ records, switches, text }) => {
    const row = createSenderId(records, bodyOf(text), switches);
    return success(switches.createStatus, "Sender Id created", shownSenderId(row, switches));
  },
  "GET sender-id": ({ records, switches, query }) => {
    const shown = (row: Parameters<typeof shownSenderId>[0]) => shownSenderId(row, switches);
    const data = pageOf(records.senderIds, query, switches, shown);
    return success(200, "Sender Ids retrieved", data);
  },
  "GET sender-id/key": (call) => {
    const row = known(senderIdOf(call), call, "senderIds", "Sender");
    return success(200, "Sender retrieved", shownSenderId(row, call.switches));
  },
  "DELETE sender-id/key": (call) => {
    const row = senderIdOf(call);
    if (row !== undefined) call.records.senderIds.remove(row);
    return deleted(call, row, "senderIds", "Sender");
  },
  "POST group": ({ records, switches, text }) => {
    const row = createGroup(records, bodyOf(text), switches);
    return success(switches.createStatus, "Group created", shownGroup(row, switches, false));
  },
  "GET group": ({ records, switches, query }) => {
    const shown = (row: Parameters<typeof shownGroup>[0]) => shownGroup(row, switches, true);
    return success(200, "Groups retrieved", pageOf(records.groups, query, switches, shown));
  },
  "GET group/key": (call) => {
    const row = known(groupOf(call), call, "groups", "Group");
    return success(200, "Group retrieved", shownGroup(row, call.switches, false));
  },
  "PUT group/key": (call) => {
    const { records, switches, text } = call;
    const old = known(groupOf(call), call, "groups", "Group");
    const row = updateGroup(records, old, bodyOf(text), switches);
    return success(200, "Group updated", shownGroup(row, switches, false));
  },
  "DELETE group/key": (call) => {
    const row = groupOf(call);
    if (row !== undefined) call.records.groups.remove(row);
    return deleted(call, row, "groups", "Group");
  },
};

function senderIdOf({ records, key, switches }: Call) {
  return findSenderId(records, key!, switches);
}

function groupOf({ records, key, switches }: Call) {
  return findGroup(records, key!, switches);
}

function bodyOf(text: string): Body {
  const body = objectOf(text);
  if (body === undefined) throw new Refused("invalid", "The body must be a JSON object.");
  return body;
}

function known<Row>(row: Row | undefined, call: Call, table: keyof Records, noun: string): Row {
  if (row !== undefined) return row;
  const kind = call.records[table].wasDeleted(call.key!) ? "deleted" : "missing";
  throw new Refused(kind, `${noun} not found`);
}

function deleted(call: Call, row: unknown, table: keyof Records, noun: string): Response {
  const { switches } = call;
  if (switches.unknownDelete === "refused") known(row, call, table, noun);
  if (switches.deleteResponse === "no content") return { status: 204, headers: {}, body: "" };
  return success(200, `${noun} deleted`, null);
}

function unknownPath(): Refused {
  return new Refused("path", "Not found");
}
