import { defineCommand, text, variadic } from "../../cli/define-command.ts";
import { severalOptions } from "../common-options.ts";
import { knownStatuses } from "./statuses.ts";

export const senderIdWait = defineCommand({
  path: "sender-id wait",
  summary: "Wait until sender IDs are reviewed",
  description:
    "Wait until sender IDs have a status. The --timeout of a single attempt stands before `wait`.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: {
    for: text("--for <status>", "the status to wait for, like APPROVED", { takes: knownStatuses }),
    timeout: text("--timeout <duration>", "how long to wait in all (default: 10m)"),
    interval: text("--interval <duration>", "how often to look (default: 1s, growing to 30s)"),
    ...severalOptions,
  },
  exitCodes: [[13, "time ran out, or the sender ID is REJECTED"]],
  examples: [
    "sendctl sender-id wait ACME --for APPROVED",
    "sendctl sender-id wait ACME Bakery --for APPROVED --timeout 2h --interval 1m",
  ],
  async run(context, { name }, options) {
    const { waitForStatus } = await import("./wait/wait-for-status.ts");
    return waitForStatus(context, name, options);
  },
});
