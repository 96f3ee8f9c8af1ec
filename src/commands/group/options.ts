import { flag, onOff, text } from "../../cli/define-command.ts";

/** The fields of a group that a create sets, besides its name. */
export const createOptions = {
  sendBirthday: onOff(
    "--send-birthday",
    "send contacts a message on their birthday",
    "send no birthday messages",
  ),
  birthdayMessage: text(
    "--birthday-message <text>",
    "text of the birthday message; {first_name} is replaced by the contact's name",
  ),
};

/** The fields of a group that an update sets and clears. */
export const updateOptions = {
  name: text("--name <text>", "its new name"),
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
  senderId: text("--sender-id <name>", "name or id of the sender ID to send under", {
    takes: "sender-id",
  }),
  clearSenderId: flag("--clear-sender-id", "remove the sender ID", { conflicts: ["senderId"] }),
};
