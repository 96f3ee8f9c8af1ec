import { defineNoun } from "../../../cli/define-command.ts";

export const localContact = defineNoun({
  path: "local contact",
  aliases: ["contacts"],
  summary: "Manage contacts",
  description:
    "Manage the contacts of groups in the embedded database: import, list, add and delete them.",
  examples: ["sendctl local contact list 12"],
});
