import { SendctlError, stoppedBy } from "./error.ts";
import { elapsed } from "./time.ts";
import type { Running, StopSignal } from "./programs.ts";
import { fstatSync, writeSync } from "node:fs";

type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Everything that sendctl uses from its process. Tests pass their own. */
export interface Runtime {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder. Reading it throws SendctlError "usage" if it no longer exists. */
  readonly folder: string;
  readonly home: string;
  /** True if idle connections may stay open: the process will end, which is ten times as fast. */
  readonly leavesConnections?: boolean;
  /** Returns whether Node has replaced bytes of an argument that is not UTF-8. Known on Linux. */
  readonly hasOtherBytes?: () => boolean;
  /** Microseconds since 1970, UTC. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, which measures durations; `now` can be set back. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Resolves after the given milliseconds; rejects as soon as the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The words that start sendctl: Node and its script, or the single executable. */
  readonly program: readonly [string, ...string[]];
  /** Makes a signal call the listener, not end the process. Returns a function that removes it. */
  readonly onStop: (
    listener: (signal: StopSignal) => void,
    signals?: readonly StopSignal[],
  ) => () => void;
  /** Stops the process until the shell continues it, as a terminal does on Ctrl-Z. */
  readonly suspend: () => void;
  /** Calls the listener when the process exits. Returns a function that removes it. */
  readonly onExit: (listener: () => void) => () => void;
  /**
   * Starts a program that inherits the standard streams of this process.
   *
   * @throws the system error if the program cannot be started
   */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<Running>;
}

/** The version of Node, like 20.20.0. */
export const nodeVersion = process.versions.node;

/** Returns the runtime of this process. Creates streams on first use, to save time. */
export function processRuntime(): Runtime {
  let stdout: OutputStream | undefined;
  let stderr: OutputStream | undefined;
  return {
    leavesConnections: true,
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
      try {
        return process.cwd();
      } catch (cause) {
        const hint = "change to another folder";
        throw new SendctlError("usage", "the working folder no longer exists", { hint, cause });
      }
    },
    get home() {
      const { HOME } = process.env;
      if (process.platform !== "win32" && HOME !== undefined && HOME !== "") return HOME;
      // Node finds it in the same way. Loading `node:os` takes a millisecond.
      try {
        return process.getBuiltinModule("node:os").homedir();
      } catch {
        // The user is not in the files of the system, as in many containers.
        return "";
      }
    },
    get program(): readonly [string, ...string[]] {
      const { execPath, argv } = process;
      const isSingle = process.getBuiltinModule("node:sea").isSea();
      return isSingle ? [execPath] : [execPath, argv[1]!];
    },
    hasOtherBytes: () => {
      const { isUtf8 } = process.getBuiltinModule("node:buffer");
      try {
        return !isUtf8(process.getBuiltinModule("node:fs").readFileSync("/proc/self/cmdline"));
      } catch {
        return false;
      }
    },
    now: () => Date.now() * 1000,
    elapsed,
    random: Math.random,
    sleep: async (milliseconds, signal) => {
      const { setTimeout } = await import("node:timers/promises");
      await setTimeout(milliseconds, undefined, { signal });
    },
    onStop: (listener, signals = stopSignals) => {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.removeListener(signal, listener);
      };
    },
    suspend: () => {
      if (process.platform !== "win32") process.kill(process.pid, "SIGTSTP");
    },
    onExit: (listener) => {
      process.once("exit", listener);
      return () => void process.removeListener("exit", listener);
    },
    run: async (command, args, env) => {
      const { runProgram } = await import("./programs.ts");
      return runProgram(command, args, env);
    },
  };
}

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** An output: a terminal, a pipe or a file. */
export interface OutputStream {
  readonly isTTY?: boolean;
  /** Size of the terminal. */
  readonly columns?: number;
  readonly rows?: number;
  readonly write: (text: string, done: (error?: Error | null) => void) => boolean;
  readonly on: (event: "error", listener: () => void) => unknown;
  /** Makes later writes drop unread text instead of waiting. Call the result at the end. */
  readonly dropUnread?: () => Promise<() => Promise<void>>;
}

/**
 * Creates a stream that writes directly to a pipe or a file, which saves a seventh of the time of a
 * bare process. For a terminal, and once a non-blocking pipe is full, it uses the stream of Node.
 *
 * @param slow returns the stream of Node
 */
function descriptorStream(descriptor: number, slow: () => NodeJS.WriteStream): OutputStream {
  if (mayBeTerminal(descriptor)) return slow();
  let fallback: Pick<OutputStream, "write"> | undefined;
  const write = (text: string, done: (error?: Error | null) => void): boolean => {
    if (fallback !== undefined) return fallback.write(text, done);
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        done(error as Error);
        return true;
      }
      const stream = slow();
      fallback = stream;
      // The callback of the write reports errors. Unheard, the event would end the process.
      stream.on("error", () => {});
      return stream.write(bytes.subarray(written), done);
    }
    done();
    return true;
  };
  return {
    isTTY: false,
    write,
    on: () => {},
    dropUnread: async () => {
      const lossy = lossyStream(slow());
      fallback = lossy;
      return lossy.end;
    },
  };
}

/** Major device number of /dev/null and similar devices on Linux, which are not terminals. */
const memoryDeviceMajor = 1;

/** Returns whether a descriptor may be a terminal: a character device. A closed one is not. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev >> 8 !== memoryDeviceMajor;
  } catch {
    return false;
  }
}

/** Unread bytes to buffer; further writes are dropped. */
const maxBacklogBytes = 1024 * 1024;

/** Milliseconds that `end` waits for a slow reader. */
const drainTimeout = 1000;

/**
 * Writes to a stream without waiting for its reader: an unread log must not stall a server.
 *
 * @param stream a stream of Node, which does not block on pipes and sockets
 */
function lossyStream(stream: NodeJS.WriteStream) {
  let dropped = 0;
  // Without a listener, an error event would end the process.
  stream.on("error", () => {});
  return {
    write: (text: string, done: () => void): boolean => {
      if (stream.writableLength > maxBacklogBytes) dropped += 1;
      else {
        if (dropped > 0) stream.write(droppedLine(dropped));
        dropped = 0;
        stream.write(text);
      }
      done();
      return true;
    },
    /** Resolves when everything has been read, or when the wait for a slow reader times out. */
    end: async (): Promise<void> => {
      if (stream.writableLength === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainTimeout);
        stream.write(dropped > 0 ? droppedLine(dropped) : "", () => resolve());
      });
      clearTimeout(timer);
    },
  };
}

function droppedLine(count: number): string {
  return `sendctl: warning: ${count} writes to standard error were dropped because it was not read\n`;
}

/** The signals that end whatever has changed the terminal. */
const ending: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/**
 * Does work that changes the modes of the terminal, as prompts and pagers do. Every signal that
 * would end the process ends the work instead, so that it can leave the terminal as it was.
 *
 * @param restore undoes the change, should the process exit before the work has ended
 * @param work its function `end` ends it as a signal does
 * @throws SendctlError "cancelled", "terminated", "hung_up" or "quit" on a signal; the work's error
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

/** Returns numbers from 0 to 1, always the same ones for a seed (mulberry32). Not for secrets. */
export function sequenceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
