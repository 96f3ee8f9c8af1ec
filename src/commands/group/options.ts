import { flag, onOff, text } from "../../cli/define-command.ts";

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
