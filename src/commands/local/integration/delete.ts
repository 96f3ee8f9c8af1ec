import { defineCommand, optional } from "../../../cli/define-command.ts";
import { databaseName } from "../../../config/target-name.ts";
import type { Page } from "../../../contract/records.ts";
import { safeText } from "../../../output/safe-text.ts";
import { required, unconfirmed } from "../../arguments.ts";
import { deleteOptions } from "../../common-options.ts";
import { integrationQuestion } from "./noun.ts";

type Named = { readonly name: string };

export const localIntegrationDelete = defineCommand({
  path: "local integration delete",
  aliases: ["rm"],
  summary: "Delete an integration",
  description: "Delete an integration and its sender IDs, groups, contacts and keys.",
  args: { name: optional("integration name") },
  options: deleteOptions,
  examples: ["sendctl local integration delete staging --yes"],
  async run({ local, output, ask, config }, given, { yes }) {
    const name = await required(ask, given.name, "NAME", integrationQuestion);
    const { administration } = await local.engine();
    const { data } = (await administration.listIntegrations()).envelope!.data as Page<Named>;
    // An integration that cannot be deleted is reported without a question.
    const exists = name !== "default" && data.some((integration) => integration.name === name);
    if (!yes && exists) {
      const prompter = ask.prompter();
      if (prompter === undefined) {
        throw unconfirmed("delete");
      }
      const record = `integration ${name} and its sender IDs, groups, contacts and keys`;
      const question = safeText(`Delete ${record} from ${databaseName(config.settings)}?`);
      if (!(await prompter.confirm(question))) return output.declined("Nothing deleted");
    }
    return output.done(await administration.deleteIntegration(name));
  },
});
