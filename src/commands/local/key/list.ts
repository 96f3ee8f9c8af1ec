import { defineCommand } from "../../../cli/define-command.ts";
import { keyView } from "../../../output/views.ts";

export const localKeyList = defineCommand({
  path: "local key list",
  aliases: ["ls"],
  summary: "List keys",
  description: "List keys with their last characters, newest first.",
  examples: ["sendctl local key list"],
  async run({ local, output }) {
    const { administration } = await local.engine("read");
    return output.page(await administration.listKeys(), keyView);
  },
});
