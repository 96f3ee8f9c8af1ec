import { onOff, text } from "../../cli/define-command.ts";

/** The fields of a group that `create` and `update` both set. */
export const messageOptions = {
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
