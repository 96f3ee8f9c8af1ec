import type { Capabilities } from "../../command/context.ts";
import {
  groupChoice,
  recordKey,
  withHint,
  type DeletableKind,
} from "../../command/records/single.ts";
import { defineCommand, optional, text, variadic } from "../../command/define-command.ts";
import { type GroupChanges, succeeded, type Service } from "../../contract/service.ts";
import { groupView, textOf } from "../../output/views.ts";
import {
  areSeveral,
  missing,
  required,
  severalOptions,
  type SeveralOptions,
  deleteSeveralOptions,
} from "../../command/arguments.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { warnOfMessage } from "../sms.ts";
import { groupCreate } from "./create.ts";
import { givenFields, saySenderId, updateOptions, warnOfNewMessage } from "./fields.ts";
import { SendctlError } from "../../core/error.ts";
import { list } from "../../command/lists/list.ts";
import { listOptions } from "../../command/lists/options.ts";
import { confirmedDelete, fetchNamed } from "../../command/records/fetch-and-delete.ts";
import { counted } from "../../core/text.ts";

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
    if (given.group.length === 0 && prompter === undefined && isEmpty) {
      throw missing("GROUP", "sendctl group update GROUP --name NAME");
    }
    if (isEmpty && (cannotAsk || context.config.settings.dryRun)) {
      throw new SendctlError("usage", "nothing to change: no field was given", {
        hint: "pass an option such as --name (see sendctl group update --help)",
      });
    }
    if (areSeveral(given.group, options)) return updateAll(context, given.group, options, body);
    const found = await recordKey(context, given.group[0], groupChoice);
    const { key: id, expected } = found;
    if (prompter !== undefined) {
      const fetched = await service["group.fetch"]({ path: { id }, expected });
      if (!succeeded(fetched)) return output.refusal(fetched);
      const form = await import("./update/ask-for-changes.ts");
      return form.askToUpdate(context, prompter, id, fetched);
    }
    const reply = await service["group.update"]({ path: { id }, body, expected });
    const message = succeeded(reply) ? body.birthday_message : undefined;
    if (typeof message === "string") await warnOfNewMessage(output, message, reply);
    await saySenderId(output, body, reply);
    const hinted = await withHint(context, reply, found, groupChoice);
    return output.record(hinted, groupView, { done: "updated" });
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
  return updateSeveral(context, given, options, groupKind(service), ({ key: id, expected }) =>
    service["group.update"]({ path: { id }, body, expected }),
  );
}

const groupRename = defineCommand({
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
    const found = await recordKey(context, given.group, groupChoice);
    const { key: id, expected } = found;
    const name = await required(context.ask, given.name, "NAME", "New name of the group");
    const reply = await context.service["group.update"]({ path: { id }, body: { name }, expected });
    const hinted = await withHint(context, reply, found, groupChoice);
    return context.output.record(hinted, groupView, { done: "renamed" });
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

/** Returns how groups of a service are fetched and deleted. */
export function groupKind(service: Service): DeletableKind {
  return {
    ...groupChoice,
    fetch: ({ key: id, expected }) => service["group.fetch"]({ path: { id }, expected }),
    delete: ({ key: id, expected }) => service["group.delete"]({ path: { id }, expected }),
    describe: (key, { id = key, name, contacts_count: contacts }) => {
      const count = Number(contacts) > 0 ? `, ${counted(Number(contacts), "contact")}` : "";
      return `group ${textOf(id)} (${textOf(name)}${count})`;
    },
    consequence: (count) => ` and ${count === 1 ? "its" : "their"} contacts`,
  };
}

const groupFetch = defineCommand({
  path: "group fetch",
  aliases: ["get", "show", "view"],
  summary: "Show groups",
  description:
    "Show groups by id, uuid or name; several are shown as a list. A number is an id: write name:12 for the group named 12.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: severalOptions,
  examples: [
    "sendctl group fetch 12",
    "sendctl group fetch Customers --json",
    "sendctl group fetch 12 13 name:14",
  ],
  async run(context, { group }, options) {
    return fetchNamed(context, group, options, groupKind(context.service));
  },
});

const groupDelete = defineCommand({
  path: "group delete",
  changes: "service",
  aliases: ["rm", "remove"],
  summary: "Delete groups",
  description:
    "Delete groups and their contacts. One confirmation covers several groups. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: deleteSeveralOptions,
  examples: [
    "sendctl group delete 12",
    "sendctl group delete 12 Customers --yes",
    "sendctl group delete - --yes",
  ],
  async run(context, { group }, options) {
    return confirmedDelete(context, group, groupKind(context.service), options);
  },
});

const groupPreview = defineCommand({
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
  async run(context, { group }, options) {
    const { showPreview } = await import("./preview/show-preview.ts");
    return showPreview(context, group, options);
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
