import { flag, repeated, text, variadic } from "../../cli/define-command.ts";

/** The manifests of `apply` and `diff`, in addition to those of `-f`. */
export const manifestFiles = {
  ...variadic("YAML or JSON manifests; - for standard input, a folder for all files in it", {
    takes: "file",
  }),
  name: "file",
};

/** Options of both `apply` and `diff`. */
export const planOptions = {
  file: repeated("-f, --file <file>", "manifest, same as the argument FILE; may be repeated", {
    takes: "file",
  }),
  envPrefix: text(
    "--env-prefix <prefix>",
    "read only environment variables whose names begin with this",
  ),
  prune: flag("--prune", "delete records missing from the manifest, for each section it has"),
  maxDeletes: text("--max-deletes <n>", "maximum number of records that --prune may delete", {
    default: "5",
  }),
  replace: flag("--replace", "delete and recreate sender IDs whose purpose differs"),
  resendSenderId: flag("--resend-sender-id", "send the sender ID of every group that has one"),
};
