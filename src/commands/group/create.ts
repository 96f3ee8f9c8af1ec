import { defineCommand, optional } from "../../cli/define-command.ts";
import { succeeded } from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import { required } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { createBody } from "./group-body.ts";
import { createOptions } from "./options.ts";

/** Fields without an option are not sent, so the service chooses their values. */
export const groupCreate = defineCommand({
  path: "group create",
  summary: "Create a group",
  description:
    "Create a group. To turn on holiday messages or set a sender ID, use `group update` afterwards.",
  args: { name: optional("name of the group; need not be unique") },
  options: createOptions,
  exitCodes: [[9, "no response was received; the group may have been created"]],
  examples: [
    "sendctl group create Customers",
    'sendctl group create Friends --send-birthday --birthday-message "Congrats!"',
  ],
  async run({ service, output, ask }, given, wanted) {
    const name = await required(ask, given.name, "NAME", "Name of the group");
    const reply = await service["group.create"]({ body: createBody(name, wanted) });
    if (succeeded(reply)) await warnOfMessage(output, wanted.birthdayMessage);
    return output.record(reply, groupView);
  },
});
