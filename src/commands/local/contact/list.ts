import type { Capabilities } from "../../../cli/capabilities.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { localRecordKey, groupChoice } from "../../arguments.ts";
import { contactView } from "./views.ts";
import { list } from "../../list.ts";
import { defineCommand, optional } from "../../../cli/define-command.ts";
import { pageOptions, type ListOptions } from "../../common-options.ts";

export const localContactList = defineCommand({
  path: "local contact list",
  aliases: ["ls"],
  summary: "List the contacts of a group",
  description:
    "List the contacts of a group, sorted by phone number. The csv output can be imported again.",
  args: { groupId: optional("id, uuid or name of the group", { takes: "group" }) },
  options: pageOptions,
  examples: ["sendctl local contact list 12", "sendctl local contact list 12 --all --output csv"],
  async run(context, { groupId }, options) {
    return listContacts(context, groupId, options);
  },
});

/** Lists the contacts of a group of the embedded database. */
async function listContacts(
  context: Capabilities,
  givenId: string | undefined,
  options: ListOptions,
): Promise<ExitCode> {
  const groupId = await localRecordKey(context, givenId, "GROUP_ID", groupChoice);
  return list(
    context,
    async (query) => (await context.local.contacts("read")).list(groupId, query),
    contactView,
    options,
    async (query) => (await context.local.contacts("read")).all(groupId, query),
  );
}
