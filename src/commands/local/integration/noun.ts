import { defineNoun } from "../../../cli/define-command.ts";

export const localIntegration = defineNoun({
  path: "local integration",
  aliases: ["integrations"],
  summary: "Manage integrations",
  description:
    "Manage the integrations of the embedded database. Each has its own sender IDs, groups and keys.",
  examples: ["sendctl local integration list"],
});

export const integrationQuestion = "Name of the integration";
