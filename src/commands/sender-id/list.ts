import { defineCommand, text } from "../../cli/define-command.ts";
import { senderIdView } from "../../output/views.ts";
import { listOptions } from "../common-options.ts";
import { list } from "../list.ts";
import { knownStatuses } from "./statuses.ts";

export const senderIdList = defineCommand({
  path: "sender-id list",
  aliases: ["ls"],
  summary: "List sender IDs",
  description: "List sender IDs, newest first.",
  options: {
    ...listOptions,
    status: text("--status <status>", "only sender IDs with this status", { takes: knownStatuses }),
  },
  examples: [
    "sendctl sender-id list",
    "sendctl sender-id list --all --json",
    "sendctl sender-id list --status PENDING --sort name",
  ],
  async run(context, _, options) {
    const { service } = context;
    return list(context, (query) => service["sender-id.list"]({ query }), senderIdView, options);
  },
});
