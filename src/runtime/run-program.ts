import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { isatty } from "node:tty";

/** How a process is asked to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

/** A program that was started. */
export interface Running {
  readonly ended: Promise<Ended>;
  readonly kill: (signal: StopSignal) => void;
  /** Whether it receives the signals of the terminal's keys, as this process does. */
  readonly hearsTerminal: boolean;
}

/** How a program ended: with a code, or by a signal, which has a name and a number. */
export type Ended =
  | { readonly code: number }
  | { readonly signal: string; readonly number: number };

/**
 * Starts a program, without a shell, with the streams of this process: nothing of it passes through here.
 *
 * @param command a path, or a name on the PATH of `env`
 * @throws the error of the system where it can't be started
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Running> {
  const child = spawn(command, args, { stdio: "inherit", env });
  const ended = new Promise<Ended>((resolve) => {
    child.once("exit", (code, signal) => {
      if (signal === null) resolve({ code: code ?? 0 });
      else resolve({ signal, number: constants.signals[signal] });
    });
  });
  await once(child, "spawn");
  // A signal that comes too late for it is no trouble.
  child.on("error", () => {});
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    hearsTerminal: [0, 1, 2].some((descriptor) => isatty(descriptor)),
  };
}
