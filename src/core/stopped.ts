import { SendctlError, type ErrorKind } from "./error.ts";
import type { StopSignal } from "./programs.ts";

/** The kind and message of the error for each signal. */
const endings: Readonly<Partial<Record<StopSignal, readonly [ErrorKind, string]>>> = {
  SIGTERM: ["terminated", "Terminated"],
  SIGHUP: ["hung_up", "Hung up"],
  SIGQUIT: ["quit", "Quit"],
};

/** Returns the error for work that a signal has ended. @param signal its name (default: that of Ctrl-C) */
export function stoppedBy(signal: unknown, message?: string): SendctlError {
  const [kind, text] = endings[signal as StopSignal] ?? ["cancelled", "Cancelled"];
  return new SendctlError(kind, message ?? text);
}

const stopKinds: ReadonlySet<ErrorKind> = new Set(["cancelled", "terminated", "hung_up", "quit"]);

/** Returns whether an error is that of a signal, and not a failure. */
export function isStop(kind: ErrorKind | undefined): boolean {
  return kind !== undefined && stopKinds.has(kind);
}
