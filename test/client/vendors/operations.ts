import { initial, uuidOf, type Group, type Records, type Table } from "./records.ts";
import { Refusal, shown, success, type Response } from "./responses.ts";
import { objectOf } from "./protocol.ts";
import type { Switches } from "./switches.ts";

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly text: string;
}

interface Call {
  readonly records: Records;
  readonly switches: Switches;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly key: string;
}

/** Handles one of the nine operations: "The interface" in docs/behaviour.md. @throws Refusal */
export function respond(records: Records, request: ReceivedRequest, switches: Switches): Response {
  const { method, target, text } = request;
  const { pathname, searchParams: query } = new URL(target, "http://service");
  const [, version, noun, encoded, ...more] = pathname.split("/");
  const handle = operations[`${method} ${noun}${encoded === undefined ? "" : "/key"}`];
  if (version !== "v1" || more.length > 0 || handle === undefined) {
    throw new Refusal("missing", "Not found");
  }
  return handle({ records, switches, query, text, key: decodeURIComponent(encoded ?? "") });
}

const operations: Readonly<Record<string, (call: Call) => Response>> = {
  "POST sender-id": (call) => {
    const { senderIds } = call.records;
    const stored = storedFields(call, ["name", "purpose"], ["name", "purpose"]);
    refuseTaken(call, "senderIds", stored);
    const name = stored["name"] as string;
    const purpose = stored["purpose"] as string;
    const row = senderIds.add((id, created) => ({ id, name, purpose, status: "PENDING", created }));
    return success(call.switches.createStatus, "Sender Id created", shown(row, call.switches));
  },
  "GET sender-id": (call) =>
    success(200, "Sender Ids retrieved", pageOf(call.records.senderIds, call)),
  "GET sender-id/key": (call) =>
    success(
      200,
      "Sender retrieved",
      shown(known(call, senderIdOf(call, call.records.senderIds.replica())), call.switches),
    ),
  "DELETE sender-id/key": (call) => deleted(call, call.records.senderIds, senderIdOf(call)),
  "POST group": (call) => {
    const { records, switches } = call;
    const stored = storedFields(call, ["name", "send_birthday", "birthday_message"], ["name"]);
    refuseTaken(call, "groups", stored);
    const row = records.groups.add((id, created) => ({
      ...groupOf({ ...initial, ...stored }),
      id,
      created,
      uuid: uuidOf(id),
      contacts: 0,
    }));
    return success(switches.createStatus, "Group created", shown(row, switches));
  },
  "GET group": (call) => success(200, "Groups retrieved", pageOf(call.records.groups, call)),
  "GET group/key": (call) =>
    success(
      200,
      "Group retrieved",
      shown(known(call, groupIn(call, call.records.groups.replica())), call.switches),
    ),
  "PUT group/key": (call) => {
    const { records, switches } = call;
    const old = known(call, groupIn(call));
    const visible = ["name", "send_birthday", "send_holiday", "birthday_message"];
    const needed = { "needs every field": visible, "needs name": ["name"] };
    const { put } = switches;
    const stored = storedFields(
      call,
      [...visible, "sender_id"],
      put === "needs every field" || put === "needs name" ? needed[put] : [],
    );
    refuseUnknownSender(call, stored["sender_id"]);
    const row = { ...old, ...(put === "resets omitted" ? initial : {}), ...groupOf(stored) };
    refuseTaken(call, "groups", row, old.id);
    records.groups.put(row);
    return success(200, "Group updated", shown(row, switches));
  },
  "DELETE group/key": (call) => deleted(call, call.records.groups, groupIn(call)),
};

type Fields = Readonly<Record<string, unknown>>;

function groupOf(fields: Fields): Group {
  const birthday = "send_birthday" in fields && { send_birthday: fields["send_birthday"] === true };
  return { ...fields, ...birthday } as unknown as Group;
}

/** Returns the fields of a body as this service stores them. @throws Refusal */
function storedFields(
  { text, switches }: Call,
  names: readonly string[],
  required: readonly string[],
): Fields {
  const body = objectOf(text);
  if (body === undefined) throw new Refusal("invalid", "The body must be a JSON object.");
  const missing = required.find((name) => !(name in body));
  if (missing !== undefined) throw needed(missing);
  const given = names.filter((name) => name in body);
  return Object.fromEntries(given.map((name) => [name, storedValue(name, body[name], switches)]));
}

function needed(name: string): Refusal {
  return new Refusal("invalid", `The ${name} field is required.`, name);
}

function storedValue(name: string, value: unknown, { trims, emptyIsNull, nulls }: Switches) {
  const isFlag = name.startsWith("send_");
  if (typeof value !== (isFlag ? "boolean" : "string") && !(value === null && nulls === "stored")) {
    throw new Refusal("invalid", `The ${name} field is invalid.`, name);
  }
  const text = trims && typeof value === "string" ? value.trim() : value;
  const stored = emptyIsNull && text === "" ? null : text;
  if (stored === null && (name === "name" || name === "purpose")) throw needed(name);
  return stored;
}

/** @param own id of the record that may have the name */
function refuseTaken(
  { records, switches }: Call,
  table: keyof Records,
  { name }: { readonly name?: unknown },
  own?: bigint,
): void {
  const formOf = (text: unknown): string =>
    switches.uniqueNames === "exact" ? String(text) : String(text).toLowerCase();
  const isTaken = records[table].rows.some(
    (row) => row.id !== own && formOf(row.name) === formOf(name),
  );
  if (switches.uniqueNames === "none" || !isTaken) return;
  throw new Refusal("taken", "The name has already been taken.", "name");
}

function refuseUnknownSender({ records, switches: { senderIdIs } }: Call, text: unknown): void {
  if (text === undefined || text === null || senderIdIs === "any text") return;
  const isKnown = records.senderIds.rows.some(
    ({ id, name }) =>
      (senderIdIs !== "an id" && name === text) || (senderIdIs !== "a name" && String(id) === text),
  );
  if (!isKnown) throw new Refusal("invalid", "The selected sender_id is invalid.", "sender_id");
}

function senderIdOf(
  { records, key, switches: { lookUp, namesake } }: Call,
  rows = records.senderIds.rows,
) {
  const found = rows.filter(
    ({ name }) =>
      name === key || (lookUp === "any case" && name?.toLowerCase() === key.toLowerCase()),
  );
  return found.at(namesake === "newest" ? -1 : 0);
}

function groupIn({ records, key, switches: { uuids } }: Call, rows = records.groups.rows) {
  return rows.find(({ id, uuid }) => String(id) === key || (uuids && uuid === key));
}

/** @throws Refusal if there is no such record */
function known<Row>({ records, key }: Call, row: Row | undefined): Row {
  if (row !== undefined) return row;
  const wasDeleted = records.groups.wasDeleted(key) || records.senderIds.wasDeleted(key);
  throw new Refusal(wasDeleted ? "deleted" : "missing", "Record not found");
}

function deleted<Row extends { readonly id: bigint }>(
  call: Call,
  table: Table<Row>,
  row: Row | undefined,
): Response {
  if (call.switches.unknownDelete === "refused") known(call, row);
  if (row !== undefined) table.remove(row);
  if (call.switches.deleteResponse === "no content") return { status: 204, headers: {}, body: "" };
  return success(200, "Record deleted", null);
}

/** Returns the requested page: "The interface" in docs/behaviour.md. @throws Refusal */
function pageOf(table: Records[keyof Records], { query, switches }: Call): object {
  const { maxPerPage } = switches;
  const asked = numberOf(query, "perPage") ?? switches.defaultPerPage;
  if (asked > maxPerPage && switches.overMaxPerPage === "refused") {
    throw new Refusal("invalid", `perPage may be at most ${maxPerPage}.`, "perPage");
  }
  const size = Math.min(asked, maxPerPage);
  const requested = numberOf(query, "page");
  if (requested !== undefined && switches.page === "refused") {
    throw new Refusal("invalid", "Unknown query parameter: page", "page");
  }
  const current = switches.page === "honoured" ? (requested ?? 1) : 1;
  // Overlapping pages of one record each would never end.
  const step = switches.pagesOverlap && size > 1 ? size - 1 : size;
  const listed = table.listed();
  const total = table.reportedTotal();
  const last = Math.max(1, Math.ceil((total - (size - step)) / step));
  const start = (current - 1) * step;
  const rows = switches.order === "descending" ? listed.toReversed() : listed;
  if (start >= rows.length && current > 1 && switches.pastTheEnd === "refused") {
    throw new Refusal("missing", "Page not found", "page");
  }
  return {
    data: rows.slice(start, start + size).map((row) => shown(row, switches, true)),
    current_page: current,
    last_page: last,
    per_page: size,
    ...(switches.withoutTotal ? {} : { total }),
  };
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Refusal("invalid", `${name} must be a positive integer.`, name);
}
