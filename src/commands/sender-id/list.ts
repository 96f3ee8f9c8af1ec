import { defineCommand } from "../../cli/define-command.ts";
import { senderIdView } from "../../output/views.ts";
import { pageOptions } from "../common-options.ts";
import { list } from "../list.ts";

export const senderIdList = defineCommand({
  path: "sender-id list",
  aliases: ["ls"],
  summary: "List sender IDs",
  description: "List sender IDs, newest first.",
  options: pageOptions,
  examples: ["sendctl sender-id list", "sendctl sender-id list --all --json"],
  async run({ service, output }, _, options) {
    return list(output, (query) => service["sender-id.list"]({ query }), senderIdView, options);
  },
});
