import { defineCommand, optional } from "../../cli/define-command.ts";
import { textOf } from "../../output/views.ts";
import { recordKey, someSenderId } from "../arguments.ts";
import { deleteOptions } from "../common-options.ts";
import { confirmedDelete } from "../confirm-delete.ts";

export const senderIdDelete = defineCommand({
  path: "sender-id delete",
  aliases: ["rm"],
  summary: "Delete a sender ID",
  description: "Delete a sender ID. Groups that send under it lose their sender ID.",
  args: { name: optional("its name", { takes: "sender-id" }) },
  options: deleteOptions,
  examples: ["sendctl sender-id delete ACME", "sendctl sender-id delete ACME --yes"],
  async run({ service, output, ask, config }, given, options) {
    const name = await recordKey(ask, given.name, "NAME", someSenderId);
    const input = { path: { name } };
    return confirmedDelete(
      { output, ask, config },
      {
        fetch: () => service["sender-id.fetch"](input),
        delete: (shown) =>
          service["sender-id.delete"](
            shown === undefined ? input : { ...input, expected: { id: shown["id"] } },
          ),
      },
      (record) => `sender ID ${name} (${textOf(record["status"])})`,
      options,
    );
  },
});
