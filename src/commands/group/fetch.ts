import { defineCommand, optional } from "../../cli/define-command.ts";
import { groupView } from "../../output/views.ts";
import { recordKey, someGroup } from "../arguments.ts";

export const groupFetch = defineCommand({
  path: "group fetch",
  aliases: ["get", "show"],
  summary: "Show a group",
  description: "Show a group, found by its id or uuid.",
  args: { id: optional("its id or uuid", { takes: "group" }) },
  examples: ["sendctl group fetch 12", "sendctl group fetch 12 --json"],
  async run({ service, output, ask }, given) {
    const id = await recordKey(ask, given.id, "ID", someGroup);
    return output.record(await service["group.fetch"]({ path: { id } }), groupView);
  },
});
