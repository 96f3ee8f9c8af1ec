import { PassThrough, Writable } from "node:stream";
import { main } from "../../src/cli/main.ts";
import type { StopSignal } from "../../src/runtime/run-program.ts";
import { makeHome } from "../support/home.ts";
import type { Finding } from "../../src/probe/findings.ts";

export interface ProbeRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The envelope of `--json`; undefined if stdout is something else. */
  readonly data: ProbeData | undefined;
  readonly error: { readonly kind: string } | undefined;
  /** Requested pauses, in milliseconds. */
  readonly waits: readonly number[];
}

interface ProbeData {
  readonly target: string;
  readonly requests: Readonly<Record<string, number>>;
  readonly rulings: readonly Finding[];
  readonly leftovers: readonly { readonly name: string; readonly id: string | null }[];
}

/** A clock that only pauses advance. */
export interface Clock {
  now: number;
}

export function newClock(): Clock {
  return { now: Date.UTC(2026, 1, 2, 8) };
}

interface ProbeRunOptions {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, which pauses advance (default: a new clock). */
  readonly clock?: Clock;
  /** Receives a function that sends a signal to the program. */
  readonly stopWith?: (stop: (signal: StopSignal) => void) => void;
  /** The answer to a confirmation prompt at a terminal. */
  readonly keys?: string;
  /** The folder for all files (default: a new one). */
  readonly folder?: string;
}

function captured(isTTY: boolean, wrote: (text: string) => void = () => {}) {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      chunks.push(chunk.toString());
      done();
      wrote(chunks.join(""));
    },
  });
  return {
    stream: Object.assign(stream, { isTTY, _isStdio: true, columns: 80 }),
    text: () => chunks.join(""),
  };
}

/** Runs sendctl in this process, in a runtime where waiting takes no time. */
export async function runProbe(
  args: readonly string[],
  options: ProbeRunOptions = {},
): Promise<ProbeRun> {
  const { baseUrl, key, keys } = options;
  const home = options.folder === undefined ? await makeHome() : undefined;
  const folder = options.folder ?? home!.folder;
  const isTerminal = keys !== undefined;
  const input = new PassThrough();
  const stdin = Object.assign(input, { isTTY: isTerminal, setRawMode: () => input });
  if (!isTerminal) stdin.end();
  const stdout = captured(false);
  let wasAsked = false;
  const stderr = captured(isTerminal, (text) => {
    if (keys === undefined || wasAsked || !text.includes("(y/N)")) return;
    wasAsked = true;
    setImmediate(() => stdin.write(keys));
  });
  const waits: number[] = [];
  const clock = options.clock ?? newClock();
  const listeners = new Set<(signal: StopSignal) => void>();
  options.stopWith?.((signal) => {
    for (const listener of listeners) listener(signal);
  });
  const exitCode = await main(args, {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {
      NO_COLOR: "1",
      ...(baseUrl === undefined ? {} : { SENDCTL_BASE_URL: baseUrl }),
      ...(key === undefined ? {} : { SENDCTL_SECRET_KEY: key }),
      ...options.env,
    },
    folder,
    home: folder,
    now: () => clock.now * 1000,
    elapsed: () => clock.now,
    random: () => 1,
    sleep: async (milliseconds, signal) => {
      waits.push(milliseconds);
      clock.now += milliseconds;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      signal.throwIfAborted();
    },
    run: () => Promise.reject(new Error("no child processes in tests")),
    onStop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const envelope = parsed(stdout.text());
  return {
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    waits,
    data: envelope?.data ?? undefined,
    error: envelope?.error,
  };
}

function parsed(
  text: string,
): { readonly data?: ProbeData; readonly error?: { readonly kind: string } } | undefined {
  try {
    return JSON.parse(text) as { readonly data?: ProbeData };
  } catch {
    return undefined;
  }
}

/** Returns the findings of switches: their observed values, or their verdict and reason. */
export function switchesOf(run: ProbeRun): Record<string, unknown> {
  const rulings = run.data?.rulings ?? [];
  return Object.fromEntries(
    rulings.flatMap(({ switch: name, verdict, observed, how }) =>
      name === undefined ? [] : [[name, verdict === "unknown" ? `unknown: ${how}` : observed]],
    ),
  );
}
