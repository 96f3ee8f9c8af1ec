import { defineCommand, optional } from "../../cli/define-command.ts";
import { senderIdView } from "../../output/views.ts";
import { recordKey, someSenderId } from "../arguments.ts";

export const senderIdFetch = defineCommand({
  path: "sender-id fetch",
  aliases: ["get", "show"],
  summary: "Show a sender ID",
  description: "Show a sender ID, found by its name.",
  args: { name: optional("its name", { takes: "sender-id" }) },
  examples: ["sendctl sender-id fetch ACME", "sendctl sender-id fetch -- -odd-name"],
  async run({ service, output, ask }, given) {
    const name = await recordKey(ask, given.name, "NAME", someSenderId);
    return output.record(await service["sender-id.fetch"]({ path: { name } }), senderIdView);
  },
});
