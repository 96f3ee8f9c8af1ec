import { defineCommand, optional, text } from "../../cli/define-command.ts";

export const groupPreview = defineCommand({
  path: "group preview",
  summary: "Preview a birthday message",
  description:
    "Preview a birthday message as a contact gets it, with its encoding and its cost in SMS segments: that of a group, or any text.",
  args: { group: optional("id, uuid or name of the group", { takes: "group" }) },
  options: {
    firstName: text("--first-name <name>", "first name of the contact (default: Ada)"),
    birthdayMessage: text(
      "--birthday-message <text>",
      "preview this text instead of the group's message; no group is needed",
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
