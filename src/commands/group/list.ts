import { defineCommand } from "../../cli/define-command.ts";
import { groupView } from "../../output/views.ts";
import { pageOptions } from "../common-options.ts";
import { list } from "../list.ts";

export const groupList = defineCommand({
  path: "group list",
  aliases: ["ls"],
  summary: "List groups",
  description: "List groups and their contact counts, newest first.",
  options: pageOptions,
  examples: [
    "sendctl group list",
    "sendctl group list --per-page 50 --page 2",
    "sendctl group list --all --json",
  ],
  async run({ service, output }, _, options) {
    return list(output, (query) => service["group.list"]({ query }), groupView, options);
  },
});
