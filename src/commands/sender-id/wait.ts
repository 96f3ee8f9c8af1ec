import { defineCommand, text, variadic } from "../../cli/define-command.ts";
import { severalOptions } from "../common-options.ts";
import { knownStatuses } from "./statuses.ts";

export const senderIdWait = defineCommand({
  path: "sender-id wait",
  summary: "Wait until sender IDs are reviewed",
  description:
    "Wait until sender IDs reach a status. After `wait`, --timeout limits the whole wait; before `wait`, each request.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: {
    for: text("--for <status>", "status to wait for, such as APPROVED", { takes: knownStatuses }),
    timeout: text("--timeout <duration>", "time limit of the whole wait (default: 10m)"),
    interval: text("--interval <duration>", "pause between requests (default: 1s, growing to 30s)"),
    ...severalOptions,
  },
  exitCodes: [[13, "the wait timed out, or a sender ID was rejected"]],
  examples: [
    "sendctl sender-id wait ACME --for APPROVED",
    "sendctl sender-id wait ACME Bakery --for APPROVED --timeout 2h --interval 1m",
  ],
  async run(context, { name }, options) {
    const { waitForStatus } = await import("./wait/wait-for-status.ts");
    return waitForStatus(context, name, options);
  },
});
