import { defineCommand, flag, optional } from "../../cli/define-command.ts";
import { succeeded, type GroupFields, type Reply } from "../../contract/service.ts";
import { groupView } from "../../output/views.ts";
import { required } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { createBody, createOptions } from "./options.ts";

/** Fields without an option are not sent, so the service chooses their values. */
export const groupCreate = defineCommand({
  path: "group create",
  summary: "Create a group",
  description:
    "Create a group. To turn on holiday messages or set a sender ID, use `group update` afterwards. With --if-not-exists, all groups are read first, because names need not be unique; two clients at the same time may still both create the group.",
  args: { name: optional("name of the group; need not be unique") },
  options: {
    ...createOptions,
    ifNotExists: flag(
      "--if-not-exists",
      "if one group has the name, show it and succeed; if several have it, fail",
    ),
  },
  exitCodes: [
    [2, "several groups have the name (with --if-not-exists)"],
    [9, "no response was received; the group may have been created"],
  ],
  examples: [
    "sendctl group create Customers",
    'sendctl group create Friends --send-birthday --birthday-message "Congrats!"',
    "sendctl group create Customers --if-not-exists",
  ],
  async run({ service, output, ask, config }, given, { ifNotExists, ...wanted }) {
    const name = await required(ask, given.name, "NAME", "Name of the group");
    // A dry run shows only the create, not the list before it.
    if (ifNotExists && !config.settings.dryRun) {
      const { groupsNamed, onlyGroup } = await import("../records/group-names.ts");
      // The prefix keeps a name that looks like an id, or that has the prefix itself, a name.
      const key = `name:${name}`;
      const groups = (await groupsNamed([key], ask.list("group.list"), false)).get(key)!;
      if (groups.length > 0) {
        const { key: id, expected } = onlyGroup(key, groups);
        const existing = await service["group.fetch"]({ path: { id }, expected });
        if (!succeeded(existing)) return output.refusal(existing);
        const differing = differingFields(createBody(name, wanted), existing);
        if (differing.length > 0) {
          const fields = differing.join(", ");
          await output.warn(
            `the group already exists with other values, which were not changed: ${fields}`,
          );
        }
        return output.record(existing, groupView);
      }
    }
    const reply = await service["group.create"]({ body: createBody(name, wanted) });
    if (succeeded(reply)) await warnOfMessage(output, wanted.birthdayMessage);
    return output.record(reply, groupView);
  },
});

/** Returns the fields that an existing group has with other values. */
function differingFields(wanted: GroupFields, { envelope }: Reply): readonly string[] {
  const record = envelope!.data as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).flatMap(([field, value]) => (record[field] === value ? [] : field));
}
