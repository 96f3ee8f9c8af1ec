import { defineNoun } from "../../../cli/define-command.ts";

export const localKey = defineNoun({
  path: "local key",
  aliases: ["keys"],
  summary: "Manage secret keys",
  description: "Manage the secret keys of the embedded database, which `sendctl serve` requires.",
  examples: ["sendctl local key list"],
});
