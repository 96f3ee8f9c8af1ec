import { repeated, text } from "../../cli/define-command.ts";

/** The options of `serve` and `local run` that change how the service behaves. */
export const behaviourOptions = {
  behaviour: text("--behaviour <file>", "behaviour file (default: the behaviour of the profile)", {
    takes: "file",
  }),
  rateLimit: text("--rate-limit <n>", "requests per second for each key (default: unlimited)"),
  autoApproveAfter: text(
    "--auto-approve-after <duration>",
    "delay until a sender ID is approved, like 5s; 0s for at once (default: never)",
  ),
  fault: repeated(
    "--fault <specification>",
    "fault to inject, repeatable; see `sendctl help faults`",
  ),
};
