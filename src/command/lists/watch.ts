import type { Capabilities } from "../context.ts";
import { targetName } from "../../config/target.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { safeText } from "../../core/text.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { RecordView } from "../../output/views.ts";
import type { List } from "../../service/read-list.ts";
import { failureOf, isOfGateway } from "../../service/refusals.ts";

/**
 * Repeats a list until the service itself refuses it or its output is closed. A terminal shows only the latest list, with its
 * target and time, and marks the rows that have changed. While the service is away, that list stays, with one warning.
 *
 * @param interval milliseconds between the end of one list and the start of the next
 * @throws SendctlError "cancelled" or "terminated" on a signal; the first error, if there is no list to keep
 */
export async function watchList(
  list: (view: RecordView) => Promise<ExitCode>,
  view: RecordView,
  interval: number,
  { output, clock, config }: Pick<Capabilities, "output" | "clock" | "config">,
): Promise<ExitCode> {
  let shownAt: string | undefined;
  let isAway = false;
  const target = safeText(targetName(config.settings));
  const { isChanged, next } = changesBetween();
  for (;;) {
    try {
      // The time of day: 10:02:13.
      const now = new Date(clock.now()).toTimeString().slice(0, 8);
      output.redraw(true, `${target} · as of ${now}`);
      const exitCode = await list({ ...view, layout: { ...view.layout, isChanged } });
      if (exitCode === exitCodes.unavailable && shownAt !== undefined) {
        await output.say(`${target} · as of ${shownAt}`);
      } else if (exitCode !== exitCodes.done || output.isUnread()) return exitCode;
      else {
        shownAt = now;
        isAway = false;
        next();
      }
    } catch (error) {
      if (!isOutage(error) || shownAt === undefined) throw error;
      output.redraw(false);
      if (!isAway) await output.warn(`${safeText(error.message)} · as of ${shownAt}`);
      isAway = true;
    }
    await clock.sleep(interval);
  }
}

/** Returns a list that throws the refusals of gateways, which say nothing of the service. */
export function withoutGateway(list: List): List {
  return async (query) => {
    const reply = await list(query);
    if (isOfGateway(reply)) throw failureOf(reply);
    return reply;
  };
}

/** Returns whether an error may pass: no connection, or a page of a gateway. */
function isOutage(error: unknown): error is SendctlError {
  if (!(error instanceof SendctlError)) return false;
  const { kind, httpStatus = 0 } = error;
  const isPage = httpStatus >= 400 || (httpStatus >= 200 && httpStatus < 300);
  return kind === "unavailable" || isPage;
}

/** Compares each record with the one of the same id in the list before. Without such a list, nothing has changed. */
function changesBetween() {
  let before: ReadonlyMap<string, string> | undefined;
  let shown = new Map<string, string>();
  return {
    /** Returns whether a record is new or differs. It may be asked for more than once. */
    isChanged: (record: ShownRecord): boolean => {
      const [key, text] = [String(record["id"] ?? record["name"]), jsonText(record)];
      shown.set(key, text);
      return before !== undefined && before.get(key) !== text;
    },
    /** Begins the next list. */
    next: (): void => {
      before = shown;
      shown = new Map();
    },
  };
}
