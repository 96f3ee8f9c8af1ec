import { defineCommand, optional } from "../../cli/define-command.ts";
import { textOf } from "../../output/views.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { deleteOptions } from "../common-options.ts";
import { confirmedDelete } from "../confirm-delete.ts";

export const groupDelete = defineCommand({
  path: "group delete",
  aliases: ["rm"],
  summary: "Delete a group",
  description: "Delete a group and its contacts.",
  args: { id: optional("its id or uuid", { takes: "group" }) },
  options: deleteOptions,
  examples: ["sendctl group delete 12", "sendctl group delete 12 --yes"],
  async run({ service, output, ask, config }, given, options) {
    const id = await recordKey(ask, given.id, "ID", someGroup);
    const input = { path: { id } };
    return confirmedDelete(
      { output, ask, config },
      {
        fetch: () => service["group.fetch"](input),
        delete: () => service["group.delete"](input),
      },
      (record) => `group ${id} (${textOf(record["name"])}) and its contacts`,
      options,
    );
  },
});
