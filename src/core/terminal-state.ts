import { stoppedBy } from "./error.ts";
import type { StopSignal } from "./programs.ts";
import type { Runtime } from "./runtime.ts";

/** The signals that end whatever has changed the terminal. */
const ending: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/**
 * Does work that changes the modes of the terminal, as prompts and pagers do. Every signal that would end the process
 * ends the work instead, so that it can leave the terminal as it was.
 *
 * @param restore undoes the change, should the process exit before the work has ended
 * @param work its function `end` ends it as a signal does
 * @throws SendctlError "cancelled", "terminated", "hung_up" or "quit" after a signal; any error of the work
 */
export async function withTerminal<Result>(
  { onStop, onExit }: Pick<Runtime, "onStop" | "onExit">,
  restore: () => void,
  work: (signal: AbortSignal, end: (signal: StopSignal) => void) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const end = (signal: StopSignal): void => stop.abort(signal);
  const unlisten = onStop(end, ending);
  const forget = onExit(restore);
  try {
    return await work(stop.signal, end);
  } catch (error) {
    throw stop.signal.aborted ? stoppedBy(stop.signal.reason) : error;
  } finally {
    unlisten();
    forget();
  }
}
