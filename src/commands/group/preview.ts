import { defineCommand, optional, text } from "../../cli/define-command.ts";

export const groupPreview = defineCommand({
  path: "group preview",
  summary: "Preview a birthday message",
  description:
    "Preview a group's birthday message, or any text, as a contact receives it, with its encoding and cost in SMS segments.",
  args: { group: optional("id, uuid or name of the group", { takes: "group" }) },
  options: {
    firstName: text("--first-name <name>", "first name of the contact (default: Ada)"),
    birthdayMessage: text(
      "--birthday-message <text>",
      "text to preview instead of a group's message; requires no group",
    ),
  },
  examples: [
    "sendctl group preview 12 --first-name Zoë",
    'sendctl group preview --birthday-message "Happy birthday, {first_name}!"',
  ],
  async run(capabilities, { group }, options) {
    const { showPreview } = await import("./preview/show-preview.ts");
    return showPreview(capabilities, group, options);
  },
});
