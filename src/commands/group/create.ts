import { defineCommand, optional } from "../../cli/define-command.ts";
import { succeeded } from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import { required } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { createBody } from "./group-body.ts";
import { createOptions } from "./options.ts";

/** Fields that are not given are left to the service. */
export const groupCreate = defineCommand({
  path: "group create",
  summary: "Create a group",
  description: "Create a group. Holiday messages and a sender ID are set with `group update`.",
  args: { name: optional("its name, which need not be unique") },
  options: createOptions,
  exitCodes: [[9, "the record may have been created: no response came"]],
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
