import { defineCommand, optional } from "../../cli/define-command.ts";
import { succeeded } from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { updateBody } from "./group-body.ts";
import { updateOptions } from "./options.ts";

export const groupUpdate = defineCommand({
  path: "group update",
  aliases: ["edit"],
  summary: "Update a group",
  description: "Update a group. Fields that are not given keep their values.",
  args: { id: optional("its id or uuid", { takes: "group" }) },
  options: updateOptions,
  examples: [
    "sendctl group update 12 --name Customers --sender-id ACME",
    "sendctl group update 12 --send-holiday --clear-birthday-message",
  ],
  async run({ service, output, ask }, given, wanted) {
    const id = await recordKey(ask, given.id, "ID", someGroup);
    const body = updateBody(wanted);
    const reply = await service["group.update"]({ path: { id }, body });
    if (Object.keys(body).length === 0) {
      await output.warn("nothing was given to change; see `sendctl group update --help`");
    }
    if (succeeded(reply)) await warnOfMessage(output, wanted.birthdayMessage);
    return output.record(reply, groupView);
  },
});
