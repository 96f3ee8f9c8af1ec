import { defineCommand, text } from "../../../cli/define-command.ts";
import { keyView } from "../../../output/views.ts";

export const localKeyCreate = defineCommand({
  path: "local key create",
  summary: "Create a key",
  description: "Create a key. It is shown only once, because only its hash is stored.",
  options: {
    integration: text("--integration <name>", "integration of the key", { default: "default" }),
  },
  examples: ["sendctl local key create", "sendctl local key create --integration default --json"],
  async run({ local, output }, _, { integration }) {
    const { administration } = await local.engine();
    return output.record(await administration.createKey(integration), keyView);
  },
});
