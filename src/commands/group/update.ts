import { defineCommand, flag, onOff, optional, text } from "../../cli/define-command.ts";
import { succeeded } from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { updateBody } from "./group-body.ts";
import { messageOptions } from "./options.ts";

const options = {
  name: text("--name <text>", "its new name"),
  sendBirthday: messageOptions.sendBirthday,
  sendHoliday: onOff(
    "--send-holiday",
    "send contacts messages on holidays",
    "send no holiday messages",
  ),
  birthdayMessage: messageOptions.birthdayMessage,
  clearBirthdayMessage: flag("--clear-birthday-message", "remove the birthday message", {
    conflicts: ["birthdayMessage"],
  }),
  senderId: text("--sender-id <name>", "name or id of the sender ID to send under", {
    takes: "sender-id",
  }),
  clearSenderId: flag("--clear-sender-id", "remove the sender ID", { conflicts: ["senderId"] }),
};

export const groupUpdate = defineCommand({
  path: "group update",
  summary: "Update a group",
  description: "Update a group. Fields that are not given keep their values.",
  args: { id: optional("its id or uuid", { takes: "group" }) },
  options,
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
