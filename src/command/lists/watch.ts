import type { Session } from "../session.ts";
import { targetName } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { isOfGateway, isRefusal } from "../../service/refusals.ts";

/**
 * Repeats a list until the service itself refuses it or its output is closed. A terminal shows only the latest list, with its
 * target and time. While the service is away, that list stays, with one warning.
 *
 * @param interval milliseconds between the end of one list and the start of the next
 * @throws SendctlError "cancelled" or "terminated" on a signal; the first error, if there is no list to keep
 */
export async function watchList(
  list: () => Promise<ExitCode>,
  interval: number,
  { output, clock, config }: Pick<Session, "output" | "clock" | "config">,
): Promise<ExitCode> {
  let shownAt: string | undefined;
  let isAway = false;
  const target = safeText(targetName(config.settings));
  for (;;) {
    try {
      // The time of day: 10:02:13.
      const now = new Date(clock.now()).toTimeString().slice(0, 8);
      output.redraw(true, `${target} · as of ${now}`);
      const exitCode = await list();
      if (exitCode !== exitCodes.done || output.isUnread()) return exitCode;
      shownAt = now;
      isAway = false;
    } catch (error) {
      if (!isOutage(error) || shownAt === undefined) throw error;
      output.redraw(false);
      if (!isAway) await output.warn(`${safeText(error.message)} · as of ${shownAt}`);
      isAway = true;
    }
    await clock.sleep(interval);
  }
}

/** Returns whether an error may pass: no connection, HTTP 5xx, or a page of a gateway, which says nothing of the service. */
function isOutage(error: unknown): error is SendctlError {
  if (!(error instanceof SendctlError)) return false;
  const { kind, details } = error;
  const { httpStatus = 0 } = details;
  if (isRefusal(error)) return kind === "unavailable" || isOfGateway(error.reply);
  const isPage = httpStatus >= 400 || (httpStatus >= 200 && httpStatus < 300);
  return kind === "unavailable" || isPage;
}
