import { flag, repeated, text } from "../../cli/define-command.ts";

/** What `apply` and `diff` both take. */
export const planOptions = {
  file: repeated(
    "-f, --file <file>",
    "manifest, as YAML or JSON; - for standard input, a folder for all files in it; may be repeated",
    { takes: "file" },
  ),
  envPrefix: text("--env-prefix <prefix>", "read only variables whose names begin with this"),
  prune: flag("--prune", "delete records that the manifest does not name, in the sections it has"),
  maxDeletes: text("--max-deletes <n>", "most records that --prune may delete", { default: "5" }),
  replace: flag("--replace", "delete and create again sender IDs whose purpose differs"),
  resendSenderId: flag("--resend-sender-id", "send the sender ID of every group that names one"),
};
