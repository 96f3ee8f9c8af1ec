import { repeated, text } from "../../cli/define-command.ts";

/** How a service of the embedded engine behaves: what `serve` and `local run` both take. */
export const behaviourOptions = {
  rateLimit: text("--rate-limit <n>", "requests per second and key (default: unlimited)"),
  autoApproveAfter: text(
    "--auto-approve-after <duration>",
    "time until a sender ID is approved, like 5s; 0s for at once (default: never)",
  ),
  fault: repeated(
    "--fault <specification>",
    "fault to inject, may be repeated; see `sendctl help faults`",
  ),
};
