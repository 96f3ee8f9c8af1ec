import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { decimalForm, groupFields, namesOf } from "../../contract/resources.ts";
import {
  isAbsence,
  isRefused,
  shownSenderId,
  succeeded,
  type Expecting,
  type GroupChanges,
  type RecordIdentity,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import { omittedHeader, requestOf } from "../../contract/request.ts";
import { SendctlError, type Check } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { cut, visibleText } from "../../core/text.ts";
import { checkCommand, type Calls } from "../calls.ts";
import {
  differencesOf,
  isSameValue,
  recordOf,
  refuseAnother,
  refuseDifferences,
  textOf,
} from "../compare.ts";
import type { HttpResponse } from "../http/attempt.ts";
import { eachListed } from "../lists.ts";
import { afterLoss, mayHaveSucceeded } from "../perform.ts";
import { fetchWritten, find, notFound } from "../reads.ts";
import { confirmedRecord } from "./confirmed.ts";
import { create } from "./creates.ts";

/** Returns the command that tests if updates keep omitted fields. Only a profile can store it. */
function probeCommand({ isOfProfile, targetOptions = [] }: Calls["options"]): string {
  const save = isOfProfile === true ? "--save " : "";
  return ["sendctl probe", `${save}--scratch-group`, ...targetOptions].join(" ");
}

/** Returns the warning that a service may reset the fields that an update omits. */
function mayBeReset(options: Calls["options"]): string {
  const isUnknown = options.behaviour.omitted_in_update === undefined;
  const or = isUnknown ? `, or run ${probeCommand(options)} to find out` : "";
  const again = `set it again (group update --sender-id, or sender_id in a manifest)${or}`;
  return `the update may have reset the sender ID of the group, which the service does not show; ${again}`;
}

const alwaysNull =
  "the service shows sender_id as null after the update: it may always do so, or have ignored it";

type GroupPath = { readonly id: string };

/** What the writes of groups share. */
interface GroupClient {
  readonly calls: Calls;
  /** The ids of groups known to have no sender ID, which no update could lose. */
  readonly unlinked: Set<string>;
  /** Warns once that the sender ID may be lost, unless the service shows that it is unchanged. */
  readonly warn: (before: ShownRecord, after: ShownRecord) => Promise<void>;
}

/**
 * Creates the write operations of groups. An update fetches the record, and sends all of it unless
 * the service is known to keep the fields that an update omits. Compares the response with it.
 */
export function createGroupWrites(calls: Calls): Pick<Service, "group.create" | "group.update"> {
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
  const client: GroupClient = { calls, unlinked, warn };
  return {
    "group.update": ({ path, body, ...wanted }) => update(client, path, body, wanted),
    "group.create": async (input) => {
      try {
        const reply = await create(calls, "group", input);
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
async function update(
  client: GroupClient,
  given: GroupPath,
  body: GroupChanges,
  { expected, onRead }: Expecting,
): Promise<Reply> {
  const { calls } = client;
  const { behaviour } = calls.options;
  const changes: Record<string, unknown> = { ...body };
  if (typeof body.sender_id === "string") {
    const senderId = await senderIdFor(calls, body.sender_id);
    if (typeof senderId !== "string") return senderId;
    changes["sender_id"] = senderId;
  }
  const purpose = { expected, isCurrent: true, consequence: "nothing was changed" } as const;
  const { path, reply: fetched } = await find(calls, "group", given, purpose);
  if (!succeeded(fetched)) return fetched;
  const record = recordOf(fetched);
  onRead?.(record);
  // A service may show the sender ID against its specification. Null would remove a hidden one.
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

/**
 * Sends an update, and compares the response.
 *
 * @param before the record as last shown
 * @param wanted fields that the response must show
 */
async function sendUpdate(
  client: GroupClient,
  path: GroupPath,
  body: ShownRecord,
  before: ShownRecord,
  wanted: ShownRecord,
): Promise<Reply> {
  const { calls } = client;
  const { host } = calls.options.base;
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
  const write = { kind: "group", path, reply: confirmed, wanted, check, before } as const;
  const { reply, isBehind } = await confirmedRecord(calls, write);
  const stored = recordOf(reply);
  refuseAnother(
    stored,
    { id, uuid },
    {},
    (difference) => `${host} returned a group ${difference}. ${mayHaveSucceeded}`,
  );
  await compareSenderId(client, performed.response, body, before, stored, check);
  await warnOfReset(calls, before, stored);
  if (confirmed.status === 202 && isBehind) return reply;
  const isNull = typeof body["sender_id"] === "string" && stored["sender_id"] === null;
  const isIgnored = isNull && (await calls.showsSenderIds());
  if (isNull && !isIgnored) await calls.options.note(alwaysNull);
  const required = isIgnored ? { ...wanted, sender_id: body["sender_id"] } : wanted;
  const isReset = differencesOf(required, stored).some(({ field }) => !(field in body));
  const isKept = calls.options.behaviour.omitted_in_update === "kept";
  const hint = `find out what updates reset: ${probeCommand(calls.options)}`;
  refuseDifferences(host, required, stored, isReset && isKept ? { hint } : {}, body);
  return reply;
}

/**
 * Warns if the sender ID of a group may be lost by an update, and remembers groups without one.
 *
 * @throws SendctlError "outcome_unknown" for a sent sender ID that no response or group shows
 */
async function compareSenderId(
  { calls, unlinked, warn }: GroupClient,
  { status, text, headers }: HttpResponse,
  { sender_id: sent }: ShownRecord,
  before: ShownRecord,
  stored: ShownRecord,
  check: Check,
): Promise<void> {
  const { sender_id: shown } = stored;
  const isSet =
    shown !== undefined &&
    (isSameValue("sender_id", shown, sent) ||
      !isSameValue("sender_id", shown, before["sender_id"]));
  if (text === "" && status !== 204 && sent !== undefined && !isSet) {
    const shows = shown === undefined ? "does not show sender_id" : "shows the sender_id of before";
    const message = `${calls.options.base.host} responded without a body, and ${shows}. ${mayHaveSucceeded}`;
    throw new SendctlError("outcome_unknown", message, { check });
  }
  const id = String(before["id"]);
  if (sent === null) unlinked.add(id);
  else if (sent !== undefined) unlinked.delete(id);
  else if (!unlinked.has(id) && headers[omittedHeader.toLowerCase()] !== "kept") {
    await warn(before, stored);
  }
}

/** Warns if an update reset fields outside the specification, which no update can send. */
async function warnOfReset(calls: Calls, before: ShownRecord, stored: ShownRecord): Promise<void> {
  const lost = Object.keys(before).filter(
    (field) => !(field in groupFields) && isSetting(before[field]) && stored[field] === null,
  );
  if (lost.length === 0) return;
  const texts = lost.map((field) => `${field} was ${cut(jsonText(before[field]), 200)}`);
  const what = `fields of group ${textOf(before["id"])} that sendctl does not know`;
  await calls.options.note(`the update reset ${what}: ${visibleText(texts.join("; "))}`);
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
  path: GroupPath,
  wanted: ShownRecord,
  expected: RecordIdentity,
  lost: SendctlError | undefined,
): Promise<Reply | undefined> {
  const found = await fetchWritten(calls, "group", path, expected).catch((error: unknown) => {
    throw lost === undefined ? error : afterLoss(lost, error);
  });
  if (!succeeded(found)) return undefined;
  const shown = recordOf(found);
  const isHidden = Object.keys(wanted).some((field) => shown[field] === undefined);
  if (isHidden || differencesOf(wanted, shown).length > 0) return undefined;
  await calls.options.note("no response confirmed the update, but the group shows it");
  return found;
}

/**
 * Returns a sender ID as the service is known to take it (ruling 14): the id for its name, or its
 * name for its id; or the service's refusal to tell.
 *
 * @throws SendctlError "not_found"
 */
async function senderIdFor(calls: Calls, given: string): Promise<string | Reply> {
  const { sender_id_means: means } = calls.options.behaviour;
  const isId = decimalForm.test(given);
  if (means === "id" && !isId && !["", ".", ".."].includes(given)) {
    const { reply } = await find(calls, "sender-id", { name: given }, { isCurrent: true });
    if (!succeeded(reply) && isAbsence(reply) === false) return reply;
    const id = succeeded(reply) ? textOf(recordOf(reply)["id"]) : undefined;
    if (id !== undefined) return id;
    throw notFound("sender-id", `no sender ID is named ${jsonText(given)}`);
  }
  if (means !== "name" || !isId) return given;
  let found: string | undefined;
  const refusal = await eachListed(calls, "sender-id.list", ({ id, name }) => {
    // A name may have the form of an id.
    if (name === given) found = given;
    else if (textOf(id) === given) found ??= textOf(name);
  });
  if (refusal ?? found) return (refusal ?? found)!;
  throw notFound("sender-id", `no sender ID has the name or the id ${given}`);
}

/** Fields that an update can set and every response shows. */
const visible = namesOf(groupFields, ({ update, shown }) => update !== undefined && !shown);

/** Returns whether an update needs only the fields that change (rulings 4 and 13). */
export function sendsOnlyChanges(behaviour: PartialBehaviour): boolean {
  const { omitted_in_update, group_update_requires = "nothing" } = behaviour;
  return omitted_in_update === "kept" && group_update_requires === "nothing";
}

/**
 * Returns the body of an update: the changes, and the fields that must be sent unchanged. Omits
 * unchanged null fields, which a service may refuse, unless it is known to need every field.
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
