import { deleting } from "../../command/records/delete.ts";
import {
  deleteSeveralOptions,
  missing,
  readsInput,
  required,
  severalOptions,
} from "../../command/arguments.ts";
import type { Session } from "../../command/session.ts";
import { defineCommand, optional, text, variadic } from "../../command/define-command.ts";
import { list } from "../../command/lists/list.ts";
import { listOptions } from "../../command/lists/options.ts";
import { groupKind } from "../../command/records/find.ts";
import { type Act, fetching, onRecords } from "../../command/records/on-records.ts";
import type { GroupChanges } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { groupView } from "../../output/views.ts";
import { groupCreate } from "./create.ts";
import { givenFields, saySenderId, updateOptions, warnOfNewMessage } from "./fields.ts";

const groups = variadic("ids, uuids or names; - reads them from standard input", {
  takes: "group",
});

/** CONTRIBUTING.md has the way of an update, file by file. */
export const groupUpdate = defineCommand({
  path: "group update",
  changes: "service",
  aliases: ["edit"],
  summary: "Update groups",
  description:
    "Update groups by id, uuid or name. Fields without an option keep their values. Without options, sendctl prompts for the fields of a group to change at a terminal. If some of several groups cannot be updated, the others still are, and the exit code is that of the first failure.",
  args: { group: groups },
  options: { ...updateOptions, ...severalOptions },
  examples: [
    "sendctl group update 12 --name Customers --sender-id ACME",
    "sendctl group update Customers --send-holiday --clear-birthday-message",
    "sendctl group update 12 Customers --sender-id ACME",
  ],
  async run(context, { group }, options) {
    const { null: _, ...wanted } = options;
    const given = { words: group, ...options };
    const body = givenFields("update", wanted);
    const isOne = !readsInput(group, options) && group.length <= 1;
    if (Object.keys(body).length > 0) {
      if (body.name !== undefined && !isOne) {
        const hint = "rename one group at a time: sendctl group rename GROUP NAME";
        throw new SendctlError("usage", "--name sets the name of one group, not of several", {
          hint,
        });
      }
      return onRecords(context, groupKind, given, () => updating(context, body, "updated"));
    }
    const prompter = context.ask.prompter();
    if (group.length === 0 && prompter === undefined) {
      throw missing("GROUP", "sendctl group update GROUP --name NAME");
    }
    // A dry run sends nothing, so it cannot fetch the group whose fields it would ask about.
    if (prompter === undefined || !isOne || context.config.settings.dryRun) {
      throw new SendctlError("usage", "nothing to change: no field was given", {
        hint: "pass an option such as --name (see sendctl group update --help)",
      });
    }
    const { askToUpdate } = await import("./update/ask-for-changes.ts");
    return onRecords(context, groupKind, given, () => ({
      ...fetching(context, groupKind),
      show: (reply, { key }) => askToUpdate(context, prompter, key, reply),
    }));
  },
});

/** Returns the act that updates groups. @param verb what was done: "renamed" */
function updating({ service, output }: Session, body: GroupChanges, verb: string): Act {
  const { birthday_message: message } = body;
  return {
    verb,
    isChange: true,
    work: ({ key: id, expected }) => service["group.update"]({ path: { id }, body, expected }),
    comment: async (replies) => {
      if (typeof message === "string") await warnOfNewMessage(output, message, replies);
      await saySenderId(output, body, replies[0]!);
    },
  };
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
    return onRecords(context, groupKind, { words: [given.group] }, () => ({
      ...updating(context, {}, "renamed"),
      work: async (record) => {
        const name = await required(context.ask, given.name, "NAME", "New name of the group");
        return updating(context, { name }, "renamed").work(record);
      },
    }));
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

const groupFetch = defineCommand({
  path: "group fetch",
  aliases: ["get", "show", "view"],
  summary: "Show groups",
  description:
    "Show groups by id, uuid or name; several are shown as a list. A number is an id: write name:12 for the group named 12.",
  args: { group: groups },
  options: severalOptions,
  examples: [
    "sendctl group fetch 12",
    "sendctl group fetch Customers --json",
    "sendctl group fetch 12 13 name:14",
  ],
  async run(context, { group }, options) {
    return onRecords(context, groupKind, { words: group, ...options }, () =>
      fetching(context, groupKind),
    );
  },
});

const groupDelete = defineCommand({
  path: "group delete",
  changes: "service",
  aliases: ["rm", "remove"],
  summary: "Delete groups",
  description:
    "Delete groups and their contacts. One confirmation covers several groups. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: { group: groups },
  options: deleteSeveralOptions,
  examples: [
    "sendctl group delete 12",
    "sendctl group delete 12 Customers --yes",
    "sendctl group delete - --yes",
  ],
  async run(context, { group }, options) {
    return onRecords(context, groupKind, { words: group, ...options }, (named) =>
      deleting(context, groupKind, options.yes, named),
    );
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
