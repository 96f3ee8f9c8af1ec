import { emptyValue, required } from "../../command/arguments.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import { searchSimilar } from "../../command/records/similar.ts";
import {
  groupsNamed,
  groupsOf,
  onlyGroup,
  senderIdChoice,
  withHint,
} from "../../command/records/single.ts";
import {
  type GroupChanges,
  type GroupFields,
  type Reply,
  type ShownRecord,
  isAbsence,
  succeeded,
} from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { groupView } from "../../output/views.ts";
import { eachRecord } from "../../service/read-list.ts";
import { createOptions, givenFields, saySenderId, warnOfNewMessage } from "./fields.ts";

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
    // A dry run shows only what would be sent, not the reads before it.
    if (!config.settings.dryRun) {
      const existing = ifNotExists ? await existingGroup(context, name) : undefined;
      if (existing !== undefined) return showExisting(context, existing, { ...body, ...changes });
      const missing = await missingSenderId(context, wanted.senderId);
      if (missing !== undefined) return output.refusal(missing);
    }
    let reply: Reply;
    if (Object.keys(changes).length === 0) reply = await service["group.create"]({ body });
    else {
      const { createCompletely } = await import("./create-completely.ts");
      reply = await createCompletely(context, body, changes);
    }
    const { birthdayMessage: message } = wanted;
    if (succeeded(reply) && message !== undefined) await warnOfNewMessage(output, message, reply);
    if (reply.isOld !== true) await saySenderId(output, changes, reply);
    return output.record(reply, groupView, { done: reply.isOld ? "returned" : "created" });
  },
});

/** Returns the reply to a fetch of the one group with a name; undefined without one. @throws SendctlError for several */
async function existingGroup(
  { service, ask }: Capabilities,
  name: string,
): Promise<Reply | undefined> {
  // The prefix keeps a name that looks like an id, or that has the prefix itself, a name.
  const key = `name:${name}`;
  const similar = searchSimilar("group", name);
  const lookup = groupsOf(ask);
  const groups = (await groupsNamed([key], lookup, false, similar.take)).get(key)!;
  if (groups.length > 0) {
    const { key: id, expected } = onlyGroup(key, groups);
    return service["group.fetch"]({ path: { id }, expected });
  }
  if (lookup.named !== undefined) await eachRecord(lookup.list, similar.take);
  similar.refuse();
  return undefined;
}

/** Shows a group that exists, and warns of the values that it does not have, or may not have. */
async function showExisting(
  { output, target }: Capabilities,
  existing: Reply,
  wanted: GroupChanges,
): Promise<ExitCode> {
  if (!succeeded(existing)) return output.refusal(existing);
  const shown = existing.envelope!.data as ShownRecord;
  const stored: ShownRecord = { sender_id: await target.senderIdOf(shown), ...shown };
  const others = Object.entries(wanted).filter(([field, value]) => stored[field] !== value);
  const [differing, hidden] = [true, false].map((isKnown) =>
    others.flatMap(([field]) => ((stored[field] !== undefined) === isKnown ? field : [])),
  ) as [string[], string[]];
  if (differing.length > 0) {
    const message = "the group already exists with other values, which were not changed";
    await output.warn(`${message}: ${differing.join(", ")}`);
  }
  if (hidden.length > 0) {
    const message = "the group already exists; not shown, so neither compared nor set";
    await output.warn(`${message}: ${hidden.join(", ")}`);
  }
  return output.record(existing, groupView, { done: "already exists" });
}

/** Returns the refusal of a sender ID that does not exist, before a group is created that could not have it. */
async function missingSenderId(context: Capabilities, given?: string): Promise<Reply | undefined> {
  if (given === "") throw emptyValue("--sender-id", "pass the name or id of a sender ID");
  // A number may be an id, and a slash divides a path for some services: the update shows whether they exist.
  if (given === undefined || /^\d+$|[/\\]|^\.+$/.test(given)) return undefined;
  const fetched = await context.service["sender-id.fetch"]({ path: { name: given } });
  if (isAbsence(fetched) !== true) return undefined;
  return withHint(context, fetched, { key: given }, senderIdChoice);
}
