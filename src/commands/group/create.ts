import { emptyValue, required } from "../../command/arguments.ts";
import type { Session } from "../../command/session.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import {
  searchSimilar,
  fetchedListed,
  type Failed,
  findRecords,
  groupKind,
  senderIdKind,
  withHints,
} from "../../command/records/find.ts";
import { optionWords } from "../../config/target.ts";
import {
  type CreateContext,
  type GroupChanges,
  type GroupFields,
  type Reply,
  type ShownRecord,
  isAbsence,
} from "../../contract/service.ts";
import { DryRunEnded, reworded, SendctlError } from "../../core/error.ts";
import { groupKey, idText, nameOf } from "../../manifest/manifest.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { groupView } from "../../output/views.ts";
import { eachRecord } from "../../service/read-list.ts";
import { attempted, isRefusal } from "../../service/refusals.ts";
import { createOptions, fieldWords, givenFields, saySenderId, warnOfNewMessage } from "./fields.ts";

/** Fields without an option are not sent, so the service chooses their values. */
export const groupCreate = defineCommand({
  path: "group create",
  changes: "service",
  summary: "Create a group",
  description:
    "Create a group. The service takes --send-holiday and --sender-id only in an update, so a second request sets them. --if-not-exists reads all groups first, because names need not be unique; two clients at the same time may still both create the group.",
  args: { name: optional("name of the group; need not be unique") },
  options: {
    ...createOptions,
    ifNotExists: flag(
      "--if-not-exists",
      "if one group has the name, show it and succeed; if several have it, fail",
    ),
  },
  exitCodes: [
    [2, "several groups have the name (with --if-not-exists)"],
    [9, "no response was received; the group may have been created"],
  ],
  examples: [
    "sendctl group create Customers",
    'sendctl group create Friends --send-birthday --birthday-message "Congrats!"',
    "sendctl group create Customers --sender-id ACME --if-not-exists",
  ],
  async run(context, given, { ifNotExists, ...wanted }) {
    const { service, output, ask, config } = context;
    const name = await required(
      ask,
      given.name,
      "NAME",
      "Name of the group",
      "sendctl group create Customers",
    );
    const body: GroupFields = { name, ...givenFields("create", wanted) };
    const updated = Object.entries(givenFields("update", wanted));
    const changes: GroupChanges = Object.fromEntries(updated.filter(([key]) => !(key in body)));
    const known = new Set<unknown>();
    // A dry run shows only what would be sent, not the reads before it.
    if (!config.settings.dryRun) {
      const existing = ifNotExists ? await existingGroup(context, name, known) : undefined;
      if (existing !== undefined) return showExisting(context, existing, { ...body, ...changes });
      await refuseMissingSenderId(context, wanted.senderId);
    }
    const hasChanges = Object.keys(changes).length > 0;
    const isKnown = ({ id }: ShownRecord): boolean => id !== undefined && known.has(id);
    const input = { body, ...(ifNotExists && { existed: isKnown }) };
    const reply = hasChanges
      ? await createCompletely(context, input, changes)
      : await service["group.create"](input);
    const { birthdayMessage: message } = wanted;
    if (message !== undefined) await warnOfNewMessage(output, message, [reply]);
    await saySenderId(output, changes, reply);
    return output.record(reply, groupView, { done: "created" });
  },
});

/**
 * Returns the reply to a fetch of the one group with a name; undefined without one.
 *
 * @param known receives the id of each group that is listed
 * @throws SendctlError for several
 */
async function existingGroup(
  context: Session,
  name: string,
  known: Set<unknown>,
): Promise<Reply | undefined> {
  const { service, ask } = context;
  // The prefix keeps a name that looks like an id, or that has the prefix itself, a name.
  const key = `name:${name}`;
  const similar = searchSimilar("group", name);
  const take = (record: ShownRecord): void => {
    known.add(record["id"]);
    similar.take(record);
  };
  const [found] = await findRecords(ask, groupKind, [key], take);
  if (!("failure" in found!)) {
    const { key: id, expected } = found!;
    const fetch = () => service["group.fetch"]({ path: { id }, expected, isCurrent: true });
    return fetchedListed("group", { ...expected, name }, fetch, known);
  }
  if (ask.groupsNamed !== undefined) await eachRecord(ask.list("group.list"), similar.take);
  similar.refuse();
  return undefined;
}

/** Shows a group that exists, and warns of the values that it does not have, or may not have. */
async function showExisting(
  { output, target }: Session,
  existing: Reply,
  wanted: GroupChanges,
): Promise<ExitCode> {
  const shown = existing.envelope!.data as ShownRecord;
  const stored: ShownRecord = { sender_id: await target.senderIdOf(shown), ...shown };
  const others = Object.entries(wanted).flatMap(([field, value]) => {
    if (stored[field] === value) return [];
    return `${field} ${stored[field] === undefined ? "is not shown" : "differs"}`;
  });
  if (others.length > 0) {
    await output.warn(`the group already exists and was not changed: ${others.join(", ")}`);
  }
  return output.record(existing, groupView, { done: "already exists" });
}

/** Refuses a sender ID that does not exist, before a group is created that could not have it. */
async function refuseMissingSenderId({ service, ask }: Session, given?: string): Promise<void> {
  if (given === "") throw emptyValue("--sender-id", "pass the name or id of a sender ID");
  // A number may be an id, and a slash divides a path for some services: the update checks them.
  if (given === undefined || /^\d+$|[/\\]|^\.+$/.test(given)) return;
  const failure = await attempted(
    service["sender-id.fetch"]({ path: { name: given }, isCurrent: true }),
  );
  if (!isRefusal(failure) || isAbsence(failure.reply) !== true) return;
  const missing: Failed = { word: given, key: given, failure };
  const [failed = missing] = await withHints<never>(ask, senderIdKind, [missing]);
  throw failed.failure;
}

/**
 * Creates a group, then sets the fields that only an update sets.
 *
 * @returns the reply to the last request
 * @throws SendctlError with the group's id and the command that completes it, if the update failed
 */
async function createCompletely(
  context: Session,
  input: { readonly body: GroupFields } & CreateContext,
  changes: GroupChanges,
): Promise<Reply> {
  const { service, output } = context;
  let created: ShownRecord;
  try {
    const reply = await service["group.create"](input);
    created = reply.envelope!.data as ShownRecord;
  } catch (error) {
    if (error instanceof DryRunEnded) {
      await output.say("ID stands for the id in the response to the first request");
      return service["group.update"]({ path: { id: "ID" }, body: changes });
    }
    if (!(error instanceof SendctlError)) throw error;
    // The service stored other values.
    if (error.details.created !== undefined)
      throw incomplete(context, error.details.created, changes, error);
    if (error.details.check === undefined) throw error;
    throw reworded(error, `${error.message}; ${notSet(changes)}`);
  }
  if (idText(created) === undefined) {
    const problem = `the response has no id; ${notSet(changes)}`;
    const cause = new SendctlError("unexpected_response", problem);
    throw incomplete(context, created, changes, cause);
  }
  // The response to a create may have a more precise time than is stored.
  const expected = { ...created, created_at: undefined };
  try {
    const path = { id: groupKey(created) };
    return await service["group.update"]({ path, body: changes, expected });
  } catch (error) {
    throw error instanceof SendctlError ? incomplete(context, created, changes, error) : error;
  }
}

function notSet(changes: GroupChanges): string {
  return `not set: ${Object.keys(changes).join(", ")}`;
}

/**
 * Returns the error for a group that was created and not completed, with the commands that complete
 * and delete it; without its id, with the one that shows it.
 */
function incomplete(
  { ask, config }: Session,
  group: ShownRecord,
  changes: GroupChanges,
  cause: SendctlError,
): SendctlError {
  const [id, name] = [idText(group), nameOf(group)];
  const insecure = config.settings.insecureHttp ? ["--insecure-http"] : [];
  const line = (verb: string, ...words: readonly string[]): string =>
    ask.line(["group", verb, ...words, ...insecure]);
  const isRefused = ["invalid", "conflict"].includes(cause.kind);
  const options = Object.entries(changes).flatMap(([field, value]) =>
    // A value that was refused would be refused again.
    fieldWords(field, isRefused && typeof value === "string" ? "NAME" : value),
  );
  const hintOf = (key: string): string => {
    const toDelete = `to delete it: ${line("delete", key)}`;
    if (isRefused && changes.sender_id === undefined) return toDelete;
    const toComplete = isRefused ? "to complete it with another sender ID" : "to complete it";
    return `${toComplete}: ${line("update", key, ...options)}; ${toDelete}`;
  };
  const hint = id === undefined ? line("list", ...optionWords("--name", name)) : hintOf(id);
  const created = id === undefined ? "was created" : `was created (id ${id})`;
  const message = `group ${name} ${created}, but is incomplete: ${cause.message}`;
  return reworded(cause, message, { hint, created: group });
}
