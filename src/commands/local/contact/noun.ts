import { defineNoun } from "../../../cli/define-command.ts";

export const localContact = defineNoun({
  path: "local contact",
  aliases: ["contacts"],
  summary: "Manage contacts",
  description: "Import contacts into groups of the embedded database, and list them.",
  examples: ["sendctl local contact list 12"],
});
