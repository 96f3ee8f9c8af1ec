import { defineCommand, optional } from "../../cli/define-command.ts";
import { succeeded, type ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../contract/error.ts";
import { groupView } from "../../output/views.ts";
import { recordKey, groupChoice } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { updateBody, updateOptions } from "./options.ts";

export const groupUpdate = defineCommand({
  path: "group update",
  aliases: ["edit"],
  summary: "Update a group",
  description:
    "Update a group by id, uuid or name. Fields without an option keep their values. Without any options, a terminal session asks which fields to change.",
  args: { group: optional("id, uuid or name of the group", { takes: "group" }) },
  options: updateOptions,
  examples: [
    "sendctl group update 12 --name Customers --sender-id ACME",
    "sendctl group update Customers --send-holiday --clear-birthday-message",
  ],
  async run(context, given, wanted) {
    const { service, output, ask } = context;
    let body = updateBody(wanted);
    const isEmpty = Object.keys(body).length === 0;
    const prompter = isEmpty ? ask.prompter() : undefined;
    // A dry run sends nothing, so it cannot fetch the group whose fields it would ask about.
    if (isEmpty && (prompter === undefined || context.config.settings.dryRun)) throw noChanges();
    const { key: id, ...found } = await recordKey(context, given.group, "GROUP", groupChoice);
    let { expected } = found;
    if (prompter !== undefined) {
      const fetched = await service["group.fetch"]({ path: { id }, expected });
      if (!succeeded(fetched)) return output.refusal(fetched);
      const shown = fetched.envelope!.data as ShownRecord;
      const { askForChanges } = await import("./update/ask-for-changes.ts");
      body = await askForChanges(prompter, ask.list("sender-id.list"), shown);
      if (Object.keys(body).length === 0) {
        await output.say("Nothing to change: the fields already have these values");
        return output.record(fetched, groupView);
      }
      expected = shown;
    }
    const reply = await service["group.update"]({ path: { id }, body, expected });
    if (succeeded(reply)) await warnOfMessage(output, body.birthday_message);
    return output.record(reply, groupView);
  },
});

/** Returns the error for an update without options when prompting is not possible. */
function noChanges(): SendctlError {
  return new SendctlError("usage", "nothing to change: no field was given", {
    hint: "pass an option such as --name (see sendctl group update --help)",
  });
}
