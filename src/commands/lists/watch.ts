import type { Capabilities } from "../../cli/capabilities.ts";
import { parseDuration } from "../../config/duration.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import { invalidValue } from "../arguments.ts";

/** Returns the pause between lists in milliseconds. @throws SendctlError "usage" */
export function watchInterval(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const interval = parseDuration(given);
  if (interval !== undefined) return interval;
  throw invalidValue("duration", given, "--watch", "use a duration such as 500ms, 30s, 10m or 2h");
}

/**
 * Repeats a list until it fails or its output is closed. A terminal shows only the latest list.
 *
 * @param interval milliseconds between the end of one list and the start of the next
 * @throws SendctlError "cancelled" or "terminated" on a signal
 */
export async function repeat(
  list: () => Promise<ExitCode>,
  interval: number,
  output: Pick<Output, "redraw" | "isUnread">,
  clock: Capabilities["clock"],
): Promise<ExitCode> {
  for (;;) {
    output.redraw();
    const exitCode = await list();
    if (exitCode !== exitCodes.done || output.isUnread()) return exitCode;
    await clock.sleep(interval);
  }
}
