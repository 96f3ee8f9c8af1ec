import { defineCommand, optional } from "../../../cli/define-command.ts";
import { integrationView } from "../../../output/views.ts";
import { required } from "../../arguments.ts";
import { integrationQuestion } from "./noun.ts";

export const localIntegrationCreate = defineCommand({
  path: "local integration create",
  summary: "Create an integration",
  description: "Create an integration. It has no key yet.",
  args: { name: optional("integration name") },
  examples: ["sendctl local integration create staging"],
  async run({ local, output, ask }, given) {
    const name = await required(ask, given.name, "NAME", integrationQuestion);
    const { administration } = await local.engine();
    return output.record(await administration.createIntegration(name), integrationView);
  },
});
