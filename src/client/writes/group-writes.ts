import {
  isRefused,
  succeeded,
  type GroupChanges,
  type RecordIdentity,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import { omittedHeader, requestOf } from "../../contract/request.ts";
import { SendctlError, type StoredDifference } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss, mayHaveSucceeded } from "../perform.ts";
import {
  differencesOf,
  fetchRecord,
  recordOf,
  refuseAnother,
  refuseDifferences,
  textOf,
  withBefore,
  withRecord,
} from "../check-record.ts";
import type { Lookups } from "../lookups.ts";
import { create } from "./creates.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";

/** Returns the warning about an update of a service that may reset the fields that an update omits. */
function mayBeReset({ behaviour, isOfProfile, targetOptions = [] }: Calls["options"]): string {
  // Only a profile can store the result.
  const save = isOfProfile === true ? "--save " : "";
  const probe = ["sendctl probe", `${save}--scratch-group`, ...targetOptions].join(" ");
  const or = behaviour.omitted_in_update === undefined ? `, or run ${probe} to find out` : "";
  const again = `set it again (group update --sender-id, or sender_id in a manifest)${or}`;
  return `the update may have reset the sender ID of the group, which the service does not show; ${again}`;
}

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
    const isSame = isShown(before) && before["sender_id"] === after["sender_id"];
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
        const { record, found = [] } = error as Partial<SendctlError>;
        for (const shown of [record, ...found]) if (shown) unlinked.add(String(shown["id"]));
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
  const fetched = await fetchCurrent(calls, path, identity);
  if (!succeeded(fetched)) return fetched;
  const record = recordOf(fetched);
  if (sendsOnlyChanges(behaviour)) {
    const reply = await sendUpdate(client, path, changes, record, visibleIn(changes));
    // The service may need more fields.
    const isTriedAgain = isRefused(reply) && behaviour.group_update_requires === undefined;
    if (!isTriedAgain) return reply;
  }
  // A service may show the sender ID, although its specification says otherwise.
  const shown = isShown(record) ? [...visible, "sender_id"] : visible;
  const whole = Object.fromEntries(shown.map((name) => [name, record[name] ?? null]));
  const sent = updateBody(whole, changes, behaviour);
  const isKept = behaviour.omitted_in_update === "kept";
  const kept = "sender_id" in changes ? {} : { sender_id: whole["sender_id"] };
  const compared = visibleIn(isKept ? sent : { ...whole, ...changes });
  return sendUpdate(
    client,
    path,
    sent,
    record,
    isShown(record) ? { ...compared, ...kept } : compared,
  );
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
  const check = checkCommand("group.update", input, calls.options);
  const performed = await calls.perform(requestOf("group.update", input), check);
  if ("unknown" in performed) throw performed.unknown;
  const confirmed = await calls.decode("group.update", performed.response, check);
  const { id, uuid } = before;
  if (!succeeded(confirmed)) {
    return performed.lost === undefined
      ? confirmed
      : afterRepeat(calls, path, { ...wanted, ...body }, { id, uuid }, performed.lost);
  }
  const shown = await withRecord(calls, "group.fetch", path, confirmed, wanted, check);
  const reply = await withoutLag(calls, path, shown, wanted, { id, uuid });
  const stored = recordOf(reply);
  refuseAnother(
    stored,
    { id, uuid },
    {},
    (difference) => `${base.host} returned a group ${difference}. ${mayHaveSucceeded}`,
    confirmed.trail,
  );
  const isKept = performed.response.headers[omittedHeader.toLowerCase()] === "kept";
  if (body["sender_id"] === null) unlinked.add(String(id));
  else if (body["sender_id"] !== undefined) unlinked.delete(String(id));
  else if (!unlinked.has(String(id)) && !isKept) await client.warn(before, stored);
  refuseDifferences(base.host, wanted, stored, { trail: confirmed.trail });
  return reply;
}

/** Milliseconds between two fetches of a group that is not up to date, and for all of them. */
const lagPause = 500;
const maxLag = 5000;

/**
 * Fetches a group before its update, again if the service still shows what it was before this user's last update: a copy
 * of its database may lag behind, and the update would write the old values back.
 *
 * @throws SendctlError "differences" if it does so for 5 seconds
 */
async function fetchCurrent(
  calls: Calls,
  path: { readonly id: string },
  identity: RecordIdentity,
): Promise<Reply> {
  const fetch = (): Promise<Reply> =>
    fetchRecord(calls, "group.fetch", path, identity, "nothing was changed");
  for (let waited = 0; ; waited += lagPause) {
    const fetched = await fetch();
    if (!succeeded(fetched)) return fetched;
    const record = recordOf(fetched);
    const last = await calls.options.lastUpdate?.(record);
    const changed = last === undefined ? [] : differencesOf(last.after, last.before);
    const stale = changed.filter(
      ({ field, stored }) => jsonText(record[field]) === jsonText(stored),
    );
    if (changed.length === 0 || stale.length < changed.length) return fetched;
    if (waited >= maxLag) throw laggingBehind(calls.options.base.host, stale);
    await calls.pause(lagPause, checkCommand("group.update", { path }, calls.options));
  }
}

function laggingBehind(host: string, stale: readonly StoredDifference[]): SendctlError {
  const texts = stale.map(
    ({ field, sent, stored }) => `${field} is ${jsonText(stored)}, not ${jsonText(sent)}`,
  );
  const message = `${host} still shows the values from before your last update: ${texts.join("; ")}; nothing was changed`;
  return new SendctlError("differences", message, { hint: "repeat the command in a minute" });
}

/**
 * Returns the reply to an update, or to a fetch after it that shows what was sent: a service may read from a copy that is
 * not up to date.
 */
async function withoutLag(
  calls: Calls,
  path: { readonly id: string },
  reply: Reply,
  wanted: ShownRecord,
  expected: RecordIdentity,
): Promise<Reply> {
  if (differencesOf(wanted, recordOf(reply)).length === 0) return reply;
  const later = await fetchRecord(calls, "group.fetch", path, expected).catch(() => undefined);
  if (later === undefined || !succeeded(later)) return reply;
  const { message } = reply.envelope!;
  return { ...later, envelope: { ...later.envelope!, message } };
}

/**
 * Returns the reply to an update that the service refused when it was repeated, if the group shows that an earlier attempt
 * was carried out.
 *
 * @throws the error of that attempt, if it does not
 */
async function afterRepeat(
  calls: Calls,
  path: { readonly id: string },
  wanted: ShownRecord,
  expected: RecordIdentity,
  lost: SendctlError,
): Promise<Reply> {
  const found = await fetchRecord(calls, "group.fetch", path, expected).catch((error: unknown) => {
    throw afterLoss(lost, error);
  });
  if (!succeeded(found)) throw lost;
  const shown = recordOf(found);
  const isHidden = Object.keys(wanted).some((field) => shown[field] === undefined);
  if (isHidden || differencesOf(wanted, shown).length > 0) throw lost;
  await calls.options.note("no response confirmed the update, but the group shows it");
  return found;
}

/** Returns whether a group shows its sender ID: a name or an id, or null for none. */
function isShown(group: ShownRecord): boolean {
  const { sender_id: shown } = group;
  return shown === null || textOf(shown) !== undefined;
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
