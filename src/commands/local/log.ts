import type { Capabilities } from "../../command/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../core/error.ts";
import type { LogReader } from "../../server/log-file.ts";
import { lineOf, onePageReply } from "../../service/lines.ts";
import { wholeNumber } from "../../command/arguments.ts";
import { readLogLine, requestView, type LoggedRequest } from "./served-request.ts";
import { defineCommand, flag, text } from "../../command/define-command.ts";

export const localLog = defineCommand({
  path: "local log",
  summary: "Show the log of served requests",
  description:
    "Show the requests that `sendctl serve` answered on this database, newest last, without keys. The log is stored beside the database and keeps the last 8 to 16 MiB.",
  options: {
    lines: text("--lines <n>", "number of requests to show (default: 50)"),
    follow: flag("-f, --follow", "keep printing new requests until interrupted"),
  },
  examples: ["sendctl local log", "sendctl local log --lines 5 --json"],
  async run(context, _, options) {
    const { local, output } = context;
    const count = wholeNumber(options.lines, "--lines", 0) ?? defaultLines;
    const reader = await local.readLog();
    try {
      const requests = lastRequests(reader.lines, count);
      if (options.follow) {
        if (!reader.exists) await output.say(`${nothingYet}; waiting for the first`);
        return await follow(context, reader, requests);
      }
      if (!reader.exists) await output.say(nothingYet);
      const reply = onePageReply("Requests retrieved", requests.map(lineOf));
      return await output.page(reply, requestView, { isNarrated: false });
    } finally {
      reader.close();
    }
  },
});

const defaultLines = 50;

/** The interval between reads of new lines, in milliseconds. */
const interval = 200;

const nothingYet = "No requests yet; `sendctl serve` logs them";

/** Returns the last requests in a log, newest last. */
function lastRequests(lines: readonly string[], count: number): LoggedRequest[] {
  const found: LoggedRequest[] = [];
  for (let index = lines.length - 1; index >= 0 && found.length < count; index -= 1) {
    found.push(...read([lines[index]!]));
  }
  return found.toReversed();
}

function read(lines: readonly string[]): LoggedRequest[] {
  return lines.flatMap((line) => readLogLine(line) ?? []);
}

/**
 * Shows new requests until a signal comes or the reader of standard output closes it. `-o json` prints one
 * object per line, because an envelope would never end.
 */
async function follow(
  context: Capabilities,
  reader: LogReader,
  before: readonly LoggedRequest[],
): Promise<ExitCode> {
  const show = await context.output.live(requestView);
  let requests = before;
  try {
    while (!context.output.isUnread()) {
      if (requests.length > 0) await show(requests);
      else await context.clock.sleep(interval);
      requests = read(reader.added());
    }
    return exitCodes.done;
  } catch (error) {
    const kind = error instanceof SendctlError ? error.kind : undefined;
    if (kind === "cancelled") return exitCodes.cancelled;
    if (kind === "terminated") return exitCodes.terminated;
    throw error;
  }
}
