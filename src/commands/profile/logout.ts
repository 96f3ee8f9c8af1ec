import { defineCommand } from "../../cli/define-command.ts";
import { removeKey } from "./login.ts";

export const logout = defineCommand({
  path: "logout",
  description: "Remove the key of a profile. The rest of the profile is kept.",
  examples: ["sendctl logout", "sendctl logout --profile prod"],
  async run(context) {
    return removeKey(context);
  },
});
