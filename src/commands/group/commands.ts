import {
  groupsNamed,
  groupsOf,
  onlyGroup,
  groupChoice,
  recordKey,
} from "../../command/records/single.ts";
import {
  defineCommand,
  flag,
  optional,
  text,
  onOff,
  variadic,
} from "../../command/define-command.ts";
import {
  type GroupChanges,
  type GroupFields,
  type Reply,
  type ShownRecord,
  succeeded,
} from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import {
  areSeveral,
  required,
  severalOptions,
  type SeveralOptions,
} from "../../command/arguments.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { groupDelete, groupFetch, groupKind } from "./fetch-and-delete.ts";
import { warnOfMessage } from "../sms.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { list } from "../../command/lists/list.ts";
import { listOptions } from "../../command/lists/options.ts";
import { eachRecord } from "../../service/read-list.ts";
import { searchSimilar } from "../../command/records/similar.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";

/** Options for the fields of a new group, except its name. */
const createOptions = {
  sendBirthday: onOff(
    "--send-birthday",
    "send contacts a message on their birthday",
    "send no birthday messages",
  ),
  birthdayMessage: text(
    "--birthday-message <text>",
    "birthday message; {first_name} is replaced with the contact's first name",
  ),
};

/** Options for the fields that an update sets or clears. */
const updateOptions = {
  name: text("--name <text>", "new name of the group"),
  sendBirthday: createOptions.sendBirthday,
  sendHoliday: onOff(
    "--send-holiday",
    "send contacts messages on holidays",
    "send no holiday messages",
  ),
  birthdayMessage: createOptions.birthdayMessage,
  clearBirthdayMessage: flag("--clear-birthday-message", "remove the birthday message", {
    conflicts: ["birthdayMessage"],
  }),
  senderId: text("--sender-id <name>", "name or id of the sender ID to use", {
    takes: "sender-id",
  }),
  clearSenderId: flag("--clear-sender-id", "remove the sender ID", { conflicts: ["senderId"] }),
};

/** Options as commander parses them: `--send-birthday` is `sendBirthday`. */
type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Returns the fields that options set, or clear with `--clear-` and the name of the field. An empty text does not clear a
 * field: it is sent, and the service rejects it.
 */
function givenFields(by: "create" | "update", options: Options): GroupChanges {
  const values = namesOf(groupFields, (field) => field[by] !== undefined).map((name) => {
    const isCleared = options[optionKey(`clear_${name}`)] === true;
    return [name, isCleared ? null : options[optionKey(name)]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function optionKey(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Fields without an option are not sent, so the service chooses their values. */
export const groupCreate = defineCommand({
  path: "group create",
  changes: "service",
  summary: "Create a group",
  description:
    "Create a group. To turn on holiday messages or set a sender ID, use `group update` afterwards. --if-not-exists reads all groups first, because names need not be unique; two clients at the same time may still both create the group.",
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
    "sendctl group create Customers --if-not-exists",
  ],
  async run({ service, output, ask, config }, given, { ifNotExists, ...wanted }) {
    const name = await required(
      ask,
      given.name,
      "NAME",
      "Name of the group",
      "sendctl group create Customers",
    );
    const body: GroupFields = { name, ...givenFields("create", wanted) };
    // A dry run shows only the create, not the list before it.
    if (ifNotExists && !config.settings.dryRun) {
      // The prefix keeps a name that looks like an id, or that has the prefix itself, a name.
      const key = `name:${name}`;
      const similar = searchSimilar("group", name);
      const lookup = groupsOf(ask);
      const groups = (await groupsNamed([key], lookup, false, similar.take)).get(key)!;
      if (groups.length > 0) {
        const { key: id, expected } = onlyGroup(key, groups);
        const existing = await service["group.fetch"]({ path: { id }, expected });
        if (!succeeded(existing)) return output.refusal(existing);
        const stored = existing.envelope!.data as ShownRecord;
        const fields = Object.entries(body).flatMap(([field, value]) =>
          stored[field] === value ? [] : field,
        );
        if (fields.length > 0) {
          const message = "the group already exists with other values, which were not changed";
          await output.warn(`${message}: ${fields.join(", ")}`);
        }
        return output.record(existing, groupView);
      }
      if (lookup.named !== undefined) await eachRecord(lookup.list, similar.take);
      similar.refuse();
    }
    const reply = await service["group.create"]({ body });
    const { birthdayMessage: message } = wanted;
    if (succeeded(reply) && message !== undefined) await warnOfNewMessage(output, message, reply);
    return output.record(reply, groupView, { done: reply.isOld ? "returned" : "created" });
  },
});

/** CONTRIBUTING.md has the way of an update, file by file. */
export const groupUpdate = defineCommand({
  path: "group update",
  changes: "service",
  aliases: ["edit"],
  summary: "Update groups",
  description:
    "Update groups by id, uuid or name. Fields without an option keep their values. Without options, sendctl prompts for the fields of a group to change at a terminal. If some of several groups cannot be updated, the others still are, and the exit code is that of the first failure.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: { ...updateOptions, ...severalOptions },
  examples: [
    "sendctl group update 12 --name Customers --sender-id ACME",
    "sendctl group update Customers --send-holiday --clear-birthday-message",
    "sendctl group update 12 Customers --sender-id ACME",
  ],
  async run(context, given, options) {
    const { null: _, ...wanted } = options;
    const { service, output, ask } = context;
    const body = givenFields("update", wanted);
    const isEmpty = Object.keys(body).length === 0;
    const prompter = isEmpty ? ask.prompter() : undefined;
    // A dry run sends nothing, so it cannot fetch the group whose fields it would ask about.
    const cannotAsk = prompter === undefined || areSeveral(given.group, options);
    if (isEmpty && (cannotAsk || context.config.settings.dryRun)) {
      throw new SendctlError("usage", "nothing to change: no field was given", {
        hint: "pass an option such as --name (see sendctl group update --help)",
      });
    }
    if (areSeveral(given.group, options)) return updateAll(context, given.group, options, body);
    const { key: id, expected } = await recordKey(context, given.group[0], "GROUP", groupChoice);
    if (prompter !== undefined) {
      const fetched = await service["group.fetch"]({ path: { id }, expected });
      if (!succeeded(fetched)) return output.refusal(fetched);
      const form = await import("./update/ask-for-changes.ts");
      return form.askToUpdate(context, prompter, id, fetched);
    }
    const reply = await service["group.update"]({ path: { id }, body, expected });
    const message = succeeded(reply) ? body.birthday_message : undefined;
    if (typeof message === "string") await warnOfNewMessage(output, message, reply);
    if (succeeded(reply)) await saySenderId(output, body);
    return output.record(reply, groupView, { done: "updated" });
  },
});

/** Updates several groups. @throws SendctlError "usage" if they would get the same name */
async function updateAll(
  context: Capabilities,
  given: readonly string[],
  options: SeveralOptions,
  body: GroupChanges,
): Promise<ExitCode> {
  const { service, output } = context;
  if (body.name !== undefined) {
    const hint = "rename one group at a time: sendctl group rename GROUP NAME";
    throw new SendctlError("usage", "--name sets the name of one group, not of several", { hint });
  }
  const { birthday_message: message } = body;
  if (typeof message === "string") await warnOfMessage(output, message);
  const { updateSeveral } = await import("../../command/records/several.ts");
  const code = await updateSeveral(
    context,
    given,
    options,
    groupKind(service),
    ({ key: id, expected }) => service["group.update"]({ path: { id }, body, expected }),
  );
  if (code === exitCodes.done) await saySenderId(output, body);
  return code;
}

/** Says at a terminal that a sender ID was set, because no response shows it. */
async function saySenderId(
  output: Capabilities["output"],
  { sender_id: senderId }: GroupChanges,
): Promise<void> {
  if (typeof senderId !== "string" || !output.isStderrTerminal()) return;
  await output.say(safeText(`Sender ID ${senderId} requested; the service never shows it`));
}

/** Warns of a message that may not do what its author intended. @param reply with the group that has it now */
async function warnOfNewMessage(
  output: Capabilities["output"],
  message: string,
  { envelope }: Reply,
): Promise<void> {
  await warnOfMessage(output, message);
  const isOff = (envelope!.data as ShownRecord | null)?.["send_birthday"] === false;
  if (!isOff || !output.isStderrTerminal()) return;
  await output.warn("birthday messages of this group are off; to turn them on: --send-birthday");
}

export const groupRename = defineCommand({
  path: "group rename",
  changes: "service",
  summary: "Rename a group",
  description: "Rename a group. Its other fields keep their values, as with group update --name.",
  args: {
    group: optional("id, uuid or name of the group", { takes: "group" }),
    name: optional("new name of the group"),
  },
  examples: ["sendctl group rename Customers Clients", "sendctl group rename 12 Clients"],
  async run(context, given) {
    const { key: id, expected } = await recordKey(context, given.group, "GROUP", groupChoice);
    const name = await required(context.ask, given.name, "NAME", "New name of the group");
    const reply = await context.service["group.update"]({ path: { id }, body: { name }, expected });
    return context.output.record(reply, groupView, { done: "renamed" });
  },
});

export const groupList = defineCommand({
  path: "group list",
  aliases: ["ls"],
  summary: "List groups",
  description: "List groups and their contact counts, newest first.",
  options: listOptions,
  examples: [
    "sendctl group list",
    "sendctl group list --per-page 50 --page 2",
    "sendctl group list --all --json",
    "sendctl group list --search birthday --sort name --columns id,name",
    "sendctl group list --all --query '[?contacts_count > `100`].name'",
    "sendctl group list --name Drivers -o id -0 | sendctl group delete - -0 --yes",
  ],
  async run(context, _, options) {
    return list(context, context.ask.list("group.list"), groupView, options);
  },
});

export const groupPreview = defineCommand({
  path: "group preview",
  summary: "Preview a birthday message",
  description:
    "Preview a group's birthday message, or any text, as a contact receives it, with its encoding and cost in SMS segments.",
  args: { group: optional("id, uuid or name of the group", { takes: "group" }) },
  options: {
    firstName: text("--first-name <name>", "first name of the contact (default: Ada)"),
    birthdayMessage: text(
      "--birthday-message <text>",
      "text to preview instead of a group's message; requires no group",
    ),
  },
  examples: [
    "sendctl group preview 12 --first-name Zoë",
    'sendctl group preview --birthday-message "Happy birthday, {first_name}!"',
  ],
  async run(capabilities, { group }, options) {
    const { showPreview } = await import("./preview/show-preview.ts");
    return showPreview(capabilities, group, options);
  },
});

/** The commands of `sendctl group`, in help order. */
export const commands = [
  groupCreate,
  groupList,
  groupFetch,
  groupUpdate,
  groupRename,
  groupDelete,
  groupPreview,
];
