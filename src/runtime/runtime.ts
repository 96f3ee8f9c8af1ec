import { homedir } from "node:os";
import { descriptorStream, type OutputStream } from "./descriptor-stream.ts";
import type { Running, StopSignal } from "./run-program.ts";

type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** All that sendctl has from the process that runs it. Tests hand in their own. */
export interface Runtime {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly home: string;
  /** Microseconds since 1970, UTC. */
  readonly now: () => number;
  /** Milliseconds since some moment. Unlike `now` it is never set back: what lasts is measured by it. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Fulfilled after so many milliseconds; rejected at once when the signal says stop. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Heard instead of ending the process, until what it returns is called. */
  readonly onStop: (
    heard: (signal: StopSignal) => void,
    signals?: readonly StopSignal[],
  ) => () => void;
  /**
   * Starts a program with the streams of this process, as they are.
   *
   * @throws the error of the system where it can't be started
   */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<Running>;
}

/** Of Node, like 20.20.0. */
export const nodeVersion = process.versions.node;

/** The real one, each part made when it is first asked for: a stream costs time to make. */
export function processRuntime(): Runtime & {
  /** To be called last: Node would wait for ever for somebody to read what `dropUnread` has given up. */
  readonly end: () => void;
  /** Returns whether a signal asked the process to end. */
  readonly wasStopped: () => boolean;
} {
  let stdout: OutputStream | undefined;
  let stderr: OutputStream | undefined;
  let stopped = false;
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= descriptorStream(1, () => process.stdout));
    },
    get stderr() {
      return (stderr ??= descriptorStream(2, () => process.stderr));
    },
    get env() {
      return process.env;
    },
    get folder() {
      return process.cwd();
    },
    get home() {
      return homedir();
    },
    now: microseconds,
    elapsed: () => performance.now(),
    random: Math.random,
    sleep: async (milliseconds, signal) => {
      const { setTimeout } = await import("node:timers/promises");
      await setTimeout(milliseconds, undefined, { signal });
    },
    onStop: (heard, signals = stopSignals) => {
      const stop = (signal: StopSignal): void => {
        stopped = true;
        heard(signal);
      };
      for (const signal of signals) process.on(signal, stop);
      return () => {
        for (const signal of signals) process.removeListener(signal, stop);
      };
    },
    run: async (command, args, env) => {
      const { runProgram } = await import("./run-program.ts");
      return runProgram(command, args, env);
    },
    end: () => {
      // Nothing else ends a process with text that nobody reads.
      // oxlint-disable-next-line unicorn/no-process-exit
      if (stderr?.isUnread?.() === true) process.exit();
    },
    wasStopped: () => stopped,
  };
}

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];

/** Date counts milliseconds; the monotonic clock gives the digits behind them while the two agree. */
function microseconds(): number {
  const coarse = Date.now() * 1000;
  const fine = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  return Math.abs(fine - coarse) < 2000 ? fine : coarse;
}
