import { defineCommand, optional } from "../../cli/define-command.ts";
import { deleteOptions } from "../common-options.ts";
import { deleteProfile } from "./profile.ts";

export const profileDelete = defineCommand({
  path: "profile delete",
  aliases: ["rm"],
  summary: "Delete a profile",
  description: "Delete a profile and its key.",
  args: { name: optional("its name", { takes: "profile" }) },
  options: deleteOptions,
  examples: ["sendctl profile delete prod --yes"],
  async run(context, { name }, options) {
    return deleteProfile(context, name, options);
  },
});
