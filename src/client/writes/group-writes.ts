import {
  isRefused,
  shownSenderId,
  succeeded,
  type GroupChanges,
  type RecordIdentity,
  type Reply,
  type Service,
  type ShownRecord,
  isAbsence,
} from "../../contract/service.ts";
import { omittedHeader, requestOf } from "../../contract/request.ts";
import { SendctlError } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { cut, visibleText } from "../../core/text.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss, mayHaveSucceeded } from "../perform.ts";
import {
  fetchRecord,
  recordOf,
  refuseAnother,
  refuseDifferences,
  withBefore,
  withRecord,
} from "../check-record.ts";
import { differencesOf, isSameValue, textOf } from "../compare.ts";
import type { Lookups } from "../lookups.ts";
import { create } from "./creates.ts";
import { fetchCurrent, withoutLag } from "./lag.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";

/** Returns the command that finds out whether an update keeps omitted fields. Only a profile can store the result. */
function probeCommand({ isOfProfile, targetOptions = [] }: Calls["options"]): string {
  const save = isOfProfile === true ? "--save " : "";
  return ["sendctl probe", `${save}--scratch-group`, ...targetOptions].join(" ");
}

/** Returns the warning about an update of a service that may reset the fields that an update omits. */
function mayBeReset(options: Calls["options"]): string {
  const isUnknown = options.behaviour.omitted_in_update === undefined;
  const or = isUnknown ? `, or run ${probeCommand(options)} to find out` : "";
  const again = `set it again (group update --sender-id, or sender_id in a manifest)${or}`;
  return `the update may have reset the sender ID of the group, which the service does not show; ${again}`;
}

const alwaysNull =
  "the service shows sender_id as null after the update: it may always do so, or have ignored it";

/** What the writes of groups share. */
interface GroupClient {
  readonly calls: Calls;
  readonly lookups: Lookups;
  /** The ids of groups known to have no sender ID, which no update could lose. */
  readonly unlinked: Set<string>;
  /** Warns once that the sender ID may be lost, unless the service shows that it is unchanged. */
  readonly warn: (before: ShownRecord, after: ShownRecord) => Promise<void>;
}

/**
 * Creates the write operations of groups. An update fetches the record first. Unless the service is known to keep the
 * fields that an update omits, the whole record is sent. The response is compared with it.
 */
export function createGroupWrites(
  calls: Calls,
  lookups: Lookups,
): Pick<Service, "group.create" | "group.update"> {
  const { note, mayWarn, behaviour } = calls.options;
  const unlinked = new Set<string>();
  let hasWarned = false;
  const warn = async (before: ShownRecord, after: ShownRecord): Promise<void> => {
    // Some services always show null.
    const shown = shownSenderId(before) ?? undefined;
    const isSame = shown !== undefined && shown === shownSenderId(after);
    if (hasWarned || isSame || behaviour.omitted_in_update === "kept") return;
    hasWarned = true;
    if ((await mayWarn?.()) !== false) await note(mayBeReset(calls.options));
  };
  const client: GroupClient = { calls, lookups, unlinked, warn };
  return {
    "group.update": ({ path, body, expected }) =>
      lookups.withGroup(path, expected, (...group) => updateAt(client, ...group, body)),
    "group.create": async (input) => {
      try {
        const reply = await create(calls, "group.create", input);
        if (succeeded(reply)) unlinked.add(String(recordOf(reply)["id"]));
        return reply;
      } catch (error) {
        // It was created with other values than were sent, or its response was lost.
        const { record, details } = error as Partial<SendctlError>;
        for (const shown of [record, ...(details?.found ?? [])])
          if (shown) unlinked.add(String(shown["id"]));
        throw error;
      }
    },
  };
}

/** Updates a group, of which the whole record is sent unless the service keeps what is omitted. */
async function updateAt(
  client: GroupClient,
  path: { readonly id: string },
  identity: RecordIdentity,
  body: GroupChanges,
): Promise<Reply> {
  const { calls, lookups } = client;
  const { behaviour } = calls.options;
  const changes: Record<string, unknown> = { ...body };
  if (typeof body.sender_id === "string") {
    const senderId = await lookups.senderId(body.sender_id);
    if (typeof senderId !== "string") return senderId;
    changes["sender_id"] = senderId;
  }
  const fetched = await fetchCurrent(calls, "group.fetch", path, identity, "nothing was changed");
  if (!succeeded(fetched)) return fetched;
  const record = recordOf(fetched);
  // A service may show the sender ID, although its specification says otherwise. Null would remove one that it hides.
  const shownSender = shownSenderId(record) ?? undefined;
  const sender = shownSender === undefined ? {} : { sender_id: shownSender };
  const kept = "sender_id" in changes ? {} : sender;
  const compared = { ...visibleIn({ ...record, ...changes }), ...kept };
  if (sendsOnlyChanges(behaviour)) {
    const reply = await sendUpdate(client, path, changes, record, compared);
    // The service may need more fields.
    const isTriedAgain = isRefused(reply) && behaviour.group_update_requires === undefined;
    if (!isTriedAgain) return reply;
  }
  const shown = visible.map((name) => [name, record[name] ?? null]);
  const sent = updateBody({ ...Object.fromEntries(shown), ...sender }, changes, behaviour);
  return sendUpdate(client, path, sent, record, compared);
}

/** Sends an update, as below. What it returns or throws has the record that was there before. */
function sendUpdate(...update: Parameters<typeof sendAndCompare>): Promise<Reply> {
  return withBefore(update[3], () => sendAndCompare(...update));
}

/**
 * Sends an update, and compares the response.
 *
 * @param before the record as last shown
 * @param wanted fields that the response must show
 */
async function sendAndCompare(
  client: GroupClient,
  path: { readonly id: string },
  body: ShownRecord,
  before: ShownRecord,
  wanted: ShownRecord,
): Promise<Reply> {
  const { calls, unlinked } = client;
  const { base } = calls.options;
  const input = { path, body };
  // The hint needs to say what a fetch does not show.
  const hidden = before["sender_id"] === undefined ? input : { path };
  const check = checkCommand("group.update", hidden, calls.options);
  const performed = await calls.perform(requestOf("group.update", input), check);
  if ("unknown" in performed) throw performed.unknown;
  const confirmed = await calls.decode("group.update", performed.response, check);
  const { id, uuid } = before;
  if (!succeeded(confirmed)) {
    const { lost } = performed;
    // A service that counts changed rows may respond with 404 to an update that changes nothing.
    if (lost === undefined && isAbsence(confirmed) !== true) return confirmed;
    const done = await updatedBefore(calls, path, { ...wanted, ...body }, { id, uuid }, lost);
    if (done === undefined && lost !== undefined) throw lost;
    return done ?? confirmed;
  }
  const shown = await withRecord(calls, path, confirmed, wanted, check);
  const { reply, isBehind } = await withoutLag(calls, path, shown, wanted, before);
  const stored = recordOf(reply);
  refuseAnother(
    stored,
    { id, uuid },
    {},
    (difference) => `${base.host} returned a group ${difference}. ${mayHaveSucceeded}`,
    confirmed.trail,
  );
  const { status, text, headers } = performed.response;
  const [sender, shownBefore] = [stored, before].map((record) => record["sender_id"]);
  const isSet =
    sender !== undefined &&
    (isSameValue("sender_id", sender, body["sender_id"]) ||
      !isSameValue("sender_id", sender, shownBefore));
  if (text === "" && status !== 204 && "sender_id" in body && !isSet) {
    const shows =
      sender === undefined ? "does not show sender_id" : "shows the sender_id of before";
    const reason = `responded without a body, and ${shows}`;
    const message = `${base.host} ${reason}. ${mayHaveSucceeded}`;
    throw new SendctlError("outcome_unknown", message, { check, trail: confirmed.trail });
  }
  const isKept = headers[omittedHeader.toLowerCase()] === "kept";
  if (body["sender_id"] === null) unlinked.add(String(id));
  else if (body["sender_id"] !== undefined) unlinked.delete(String(id));
  else if (!unlinked.has(String(id)) && !isKept) await client.warn(before, stored);
  await warnOfReset(calls, path, before, stored);
  if (confirmed.status === 202 && isBehind) return { ...reply, status: 202 };
  const isNull = typeof body["sender_id"] === "string" && stored["sender_id"] === null;
  const isIgnored = isNull && (await calls.showsSenderIds());
  if (isNull && !isIgnored) await calls.options.note(alwaysNull);
  const required = isIgnored ? { ...wanted, sender_id: body["sender_id"] } : wanted;
  const isReset = differencesOf(required, stored).some(({ field }) => !(field in body));
  const hint = isReset ? keptHint(calls.options) : undefined;
  refuseDifferences(base.host, required, stored, { trail: confirmed.trail, hint }, body);
  return reply;
}

/** Returns what to do if a service that is known to keep omitted fields has reset one. */
function keptHint(options: Calls["options"]): string | undefined {
  const isKnown = options.behaviour.omitted_in_update === "kept";
  return isKnown ? `find out what updates reset: ${probeCommand(options)}` : undefined;
}

/**
 * Warns if an update reset fields outside the specification, which no update can send. A response that leaves one out may
 * only be shorter than that to a fetch.
 */
async function warnOfReset(
  calls: Calls,
  path: { readonly id: string },
  before: ShownRecord,
  stored: ShownRecord,
): Promise<void> {
  const lostIn = (after: ShownRecord): readonly string[] =>
    Object.keys(before).filter(
      (field) => !(field in groupFields) && isSetting(before[field]) && isNone(after[field]),
    );
  let after = stored;
  if (lostIn(after).some((field) => after[field] === undefined)) {
    const later = await fetchRecord(calls, "group.fetch", path).catch(() => undefined);
    if (later === undefined || !succeeded(later)) return;
    after = recordOf(later);
  }
  const texts = lostIn(after).map((field) => `${field} was ${cut(jsonText(before[field]), 200)}`);
  if (texts.length === 0) return;
  const what = `fields of group ${textOf(before["id"])} that sendctl does not know`;
  await calls.options.note(`the update reset ${what}: ${visibleText(texts.join("; "))}`);
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Returns whether a value is one that does not change by itself: no number, time or empty text. */
function isSetting(value: unknown): boolean {
  if (typeof value === "string") return value !== "" && !/^\d{4}-\d\d-\d\d/.test(value);
  return typeof value === "boolean" || (typeof value === "object" && value !== null);
}

/**
 * Returns the group if it shows an update that the service refused; undefined if it does not.
 *
 * @param lost the error of an earlier attempt, if it was repeated
 */
async function updatedBefore(
  calls: Calls,
  path: { readonly id: string },
  wanted: ShownRecord,
  expected: RecordIdentity,
  lost: SendctlError | undefined,
): Promise<Reply | undefined> {
  const found = await fetchRecord(calls, "group.fetch", path, expected).catch((error: unknown) => {
    throw lost === undefined ? error : afterLoss(lost, error);
  });
  if (!succeeded(found)) return undefined;
  const shown = recordOf(found);
  const isHidden = Object.keys(wanted).some((field) => shown[field] === undefined);
  if (isHidden || differencesOf(wanted, shown).length > 0) return undefined;
  await calls.options.note("no response confirmed the update, but the group shows it");
  return found;
}

/** Fields that an update can set and every response shows. */
const visible = namesOf(groupFields, ({ update, shown }) => update !== undefined && !shown);

/** Returns whether an update needs only the fields that change (rulings 4 and 13). */
export function sendsOnlyChanges(behaviour: PartialBehaviour): boolean {
  const { omitted_in_update, group_update_requires = "nothing" } = behaviour;
  return omitted_in_update === "kept" && group_update_requires === "nothing";
}

/**
 * Returns the body of an update: the changes, and the fields that must be sent unchanged. Unchanged null fields are
 * omitted, because a service may refuse null, unless it is known to need every field.
 *
 * @param whole all visible fields of the record
 */
function updateBody(
  whole: ShownRecord,
  changes: ShownRecord,
  { omitted_in_update, group_update_requires: required }: PartialBehaviour,
): ShownRecord {
  const needsName = omitted_in_update === "kept" && required === "name";
  const sent = Object.entries(whole).filter(([name, value]) =>
    needsName ? name === "name" : required === "every_field" || value !== null,
  );
  return { ...Object.fromEntries(sent), ...changes };
}

/** Returns the fields that a response must show after the update. */
function visibleIn(fields: ShownRecord): ShownRecord {
  const shown = visible.filter((name) => name in fields);
  return Object.fromEntries(shown.map((name) => [name, fields[name]]));
}
