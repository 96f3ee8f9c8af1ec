import { defineCommand } from "../../cli/define-command.ts";
import { groupView } from "../../output/views.ts";
import { listOptions } from "../common-options.ts";
import { list } from "../list.ts";

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
    const { service } = context;
    return list(context, (query) => service["group.list"]({ query }), groupView, options);
  },
});
