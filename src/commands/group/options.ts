import { groupFields, namesOf } from "../../contract/resources.ts";
import type { GroupChanges, GroupFields } from "../../contract/service.ts";
import { flag, onOff, text } from "../../command/define-command.ts";

/** Options for the fields of a new group, except its name. */
export const createOptions = {
  sendBirthday: onOff(
    "--send-birthday",
    "send contacts a message on their birthday",
    "send no birthday messages",
  ),
  birthdayMessage: text(
    "--birthday-message <text>",
    "birthday message; {first_name} is replaced with the contact's first name",
  ),
};

/** Options for the fields that an update sets or clears. */
export const updateOptions = {
  name: text("--name <text>", "new name of the group"),
  sendBirthday: createOptions.sendBirthday,
  sendHoliday: onOff(
    "--send-holiday",
    "send contacts messages on holidays",
    "send no holiday messages",
  ),
  birthdayMessage: createOptions.birthdayMessage,
  clearBirthdayMessage: flag("--clear-birthday-message", "remove the birthday message", {
    conflicts: ["birthdayMessage"],
  }),
  senderId: text("--sender-id <name>", "name or id of the sender ID to use", {
    takes: "sender-id",
  }),
  clearSenderId: flag("--clear-sender-id", "remove the sender ID", { conflicts: ["senderId"] }),
};

/** Options as commander parses them: `--send-birthday` is `sendBirthday`. */
type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Returns the body of a create: the name and the fields set by options. */
export function createBody(name: string, options: Options): GroupFields {
  return { name, ...givenFields("create", options) };
}

/** Returns the body of an update. An empty text does not clear a field: it is sent, and the service rejects it. */
export function updateBody(options: Options): GroupChanges {
  return givenFields("update", options);
}

/** Returns the fields that options set, or clear with `--clear-` and the name of the field. */
function givenFields(by: "create" | "update", options: Options): GroupChanges {
  const values = namesOf(groupFields, (field) => field[by] !== undefined).map((name) => {
    const isCleared = options[optionKey(`clear_${name}`)] === true;
    return [name, isCleared ? null : options[optionKey(name)]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function optionKey(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
