import { defineCommand, defineNoun, optional } from "../../cli/define-command.ts";
import { databaseName } from "../../config/target-name.ts";
import type { Page } from "../../contract/records.ts";
import { integrationView } from "../../output/views.ts";
import { confirm, required } from "../arguments.ts";
import { deleteOptions } from "../common-options.ts";

const localIntegration = defineNoun({
  path: "local integration",
  aliases: ["integrations"],
  summary: "Manage integrations",
  description:
    "Manage the integrations of the embedded database. Each has its own sender IDs, groups and keys.",
  examples: ["sendctl local integration list"],
});

const nameQuestion = "Name of the integration";

const localIntegrationCreate = defineCommand({
  path: "local integration create",
  summary: "Create an integration",
  description: "Create an integration. It has no key yet.",
  args: { name: optional("integration name") },
  examples: ["sendctl local integration create staging"],
  async run({ local, output, ask }, given) {
    const name = await required(ask, given.name, "NAME", nameQuestion);
    const { administration } = await local.engine();
    return output.record(await administration.createIntegration(name), integrationView);
  },
});

const localIntegrationList = defineCommand({
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

const localIntegrationDelete = defineCommand({
  path: "local integration delete",
  aliases: ["rm"],
  summary: "Delete an integration",
  description: "Delete an integration and its sender IDs, groups, contacts and keys.",
  args: { name: optional("integration name") },
  options: deleteOptions,
  examples: ["sendctl local integration delete staging --yes"],
  async run(context, given, { yes }) {
    const { local, output, ask, config } = context;
    const name = await required(ask, given.name, "NAME", nameQuestion);
    const { administration } = await local.engine();
    const { data } = (await administration.listIntegrations()).envelope!.data as Page<Named>;
    // An integration that cannot be deleted is reported without a question.
    const exists = name !== "default" && data.some((integration) => integration.name === name);
    if (!yes && exists) {
      const record = `integration ${name} and its sender IDs, groups, contacts and keys`;
      const question = `Delete ${record} from ${databaseName(config.settings)}?`;
      await confirm(context, "delete", question, "Nothing deleted");
    }
    return output.done(await administration.deleteIntegration(name));
  },
});

type Named = { readonly name: string };

export const integrationCommands = [
  localIntegration,
  localIntegrationCreate,
  localIntegrationList,
  localIntegrationDelete,
];
