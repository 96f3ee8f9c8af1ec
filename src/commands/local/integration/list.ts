import { defineCommand } from "../../../cli/define-command.ts";
import { integrationView } from "../../../output/views.ts";

export const localIntegrationList = defineCommand({
  path: "local integration list",
  aliases: ["ls"],
  summary: "List integrations",
  description: "List integrations and their record counts, newest first.",
  examples: ["sendctl local integration list"],
  async run({ local, output }) {
    const { administration } = await local.engine("read");
    return output.page(await administration.listIntegrations(), integrationView);
  },
});
