import type { Capabilities } from "../../../cli/capabilities.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { safeText } from "../../../output/safe-text.ts";
import { someSenderId, type SeveralOptions } from "../../arguments.ts";
import { attemptEach } from "../../records/attempt-each.ts";
import { readKeys, withoutRepeats } from "../../records/read-keys.ts";
import { showRecords } from "../../records/show-records.ts";
import { waitForOne, type Wait } from "./wait-for-one.ts";

type Context = Pick<
  Capabilities,
  "service" | "output" | "ask" | "clock" | "config" | "input" | "processes"
>;

/** Waits for several sender IDs side by side, each whatever becomes of the others, and shows them as a list. */
export async function waitForSeveral(
  context: Context,
  given: readonly string[],
  options: SeveralOptions,
  wait: Wait,
): Promise<ExitCode> {
  const records = withoutRepeats(await readKeys(context, given, "NAME", someSenderId, options));
  const silent = async (): Promise<void> => {};
  const attempts = await attemptEach(
    context,
    records,
    (name) => waitForOne(context, name, wait, silent),
    // The client of a remote service bounds how many requests are under way.
    { mostLanes: records.length },
  );
  return showRecords(context, attempts, someSenderId, safeText(wait.wanted));
}
