import { localRecordKey, groupChoice } from "../../arguments.ts";
import { contactView } from "./views.ts";
import { list } from "../../list.ts";
import { defineCommand, defineNoun, optional } from "../../../cli/define-command.ts";
import { pageOptions } from "../../common-options.ts";

export const localContact = defineNoun({
  path: "local contact",
  aliases: ["contacts"],
  summary: "Manage contacts",
  description:
    "Manage the contacts of groups in the embedded database: import, list, add and delete them.",
  examples: ["sendctl local contact list 12"],
});

export const localContactList = defineCommand({
  path: "local contact list",
  aliases: ["ls"],
  summary: "List the contacts of a group",
  description:
    "List the contacts of a group, sorted by phone number. The csv output can be imported again.",
  args: { groupId: optional("id, uuid or name of the group", { takes: "group" }) },
  options: pageOptions,
  examples: ["sendctl local contact list 12", "sendctl local contact list 12 --all --output csv"],
  async run(context, given, options) {
    const groupId = await localRecordKey(context, given.groupId, "GROUP_ID", groupChoice);
    return list(
      context,
      async (query) => (await context.local.contacts("read")).list(groupId, query),
      contactView,
      options,
      async (query) => (await context.local.contacts("read")).all(groupId, query),
    );
  },
});
