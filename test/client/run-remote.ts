import { once } from "node:events";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { quietRuntime, runMain, screen } from "../support/built-program.ts";
import type { Home } from "../support/home.ts";
import type { StopSignal } from "../../src/core/programs.ts";
import {
  startService,
  type Received,
  type Script,
  type ScriptedService,
} from "./scripted-service.ts";

/** The key of every test here. It may appear only in the Authorization header. */
export const key = "sk_canary_7f3a9c51e8d24b60";

/** The fixed time of every test here, in milliseconds since 1970. */
export const now = Date.UTC(2026, 0, 31, 8);

export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Requested pauses, in milliseconds. They take no time. */
  readonly waits: readonly number[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of the terminal; undefined if the streams are pipes. */
  readonly terminal?: number;
  /** Rows of the terminal; undefined if it does not report them. */
  readonly rows?: number;
  /** The fraction of the maximum backoff to wait, from 0 to 1. */
  readonly random?: number;
  /** The folder for all files (default: none). */
  readonly home?: string;
  /** Receives a function that interrupts the program. */
  readonly stopWith?: (stop: (signal: StopSignal) => void) => void;
  /** The answer to a confirmation prompt. */
  readonly keys?: string;
  /** The whole standard input, if it is not a keyboard. */
  readonly stdin?: string;
  /** Pauses longer than this many milliseconds end only when the program is interrupted. */
  readonly neverEnds?: number;
  /** A clock that the pauses advance; without it, the time is always `now`. */
  readonly clock?: { now: number };
  /** Called at the start of each pause, and may interrupt the program. */
  readonly paused?: (milliseconds: number) => void;
}

function keyboard(isTTY: boolean): PassThrough & { isTTY: boolean } {
  const stdin = new PassThrough();
  return Object.assign(stdin, { isTTY, setRawMode: () => stdin });
}

/** Resolves once a signal is aborted. */
function abortOf(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort");
}

/** Runs `main` in this process, in a runtime where waiting takes no time. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { terminal, keys } = options;
  const stdin = keyboard(terminal !== undefined);
  if (options.stdin !== undefined) stdin.end(options.stdin);
  else if (keys === undefined && terminal === undefined) stdin.end();
  let pressed = false;
  const stderr = screen(terminal, (text) => {
    if (keys === undefined || pressed || !text.includes("(y/N)")) return;
    pressed = true;
    setImmediate(() => stdin.write(keys));
  });
  const waits: number[] = [];
  const folder = options.home ?? "/nonexistent";
  const clock = options.clock ?? { now };
  const env = { SENDCTL_SECRET_KEY: key, NO_COLOR: "1", ...options.env };
  const runtime = {
    ...quietRuntime(folder, env),
    stdin,
    // Without a home, nothing is stored.
    home: options.home ?? "",
    now: () => clock.now * 1000,
    elapsed: () => clock.now,
    random: () => options.random ?? 1,
    sleep: async (milliseconds: number, signal: AbortSignal) => {
      waits.push(milliseconds);
      if (options.clock !== undefined) {
        clock.now += milliseconds;
        // Signals arrive meanwhile.
        await new Promise((resolve) => void setImmediate(resolve));
      }
      options.paused?.(milliseconds);
      if (milliseconds > (options.neverEnds ?? Infinity)) await abortOf(signal);
      signal.throwIfAborted();
    },
    onStop: (stop: (signal: StopSignal) => void) => {
      options.stopWith?.(stop);
      return () => {};
    },
  };
  const stdout = screen(terminal, undefined, options.rows);
  return { ...(await runMain(args, runtime, [stdout, stderr])), waits };
}

export interface RemoteRun extends Run {
  readonly received: readonly Received[];
  /** One "POST /v1/group" per request. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Broken guarantees that hold whatever the service does; empty if there are none. */
  readonly violations: readonly string[];
}

/** Returns an option that lets a test interrupt the program, and the function that does. */
export function stopping(
  signal: StopSignal = "SIGINT",
): Required<Pick<RunOptions, "stopWith">> & { readonly stop: () => void } {
  const known: ((signal: StopSignal) => void)[] = [];
  return {
    stopWith: (stop) => void known.push(stop),
    stop: () => {
      for (const stop of known) stop(signal);
    },
  };
}

/** Runs the program against a running service. */
export async function runOn(
  service: ScriptedService,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RemoteRun> {
  const { length } = service.received;
  const before = service.connections();
  const ran = await run(["--base-url", service.baseUrl, ...args], options);
  const received = service.received.slice(length);
  return {
    ...ran,
    received,
    requests: received.map(({ method, target }) => `${method} ${target}`),
    connections: service.connections() - before,
    violations: [...violationsOf(ran, args), ...received.flatMap(misplacedKey)],
  };
}

/** Starts a service for one test, and returns what runs the program against it in the home of the test. */
export async function runnerOf(home: Home, script: Script, options: RunOptions = {}) {
  const service = await startService(script);
  onTestFinished(service.close);
  return (...args: readonly string[]): Promise<RemoteRun> =>
    runOn(service, args, { home: home.folder, ...options });
}

/** Runs the program against a service that follows a script. */
export async function runAgainst(
  script: Script,
  args: readonly string[],
  options: RunOptions & { readonly greet?: Parameters<typeof startService>[1] } = {},
): Promise<RemoteRun> {
  const service = await startService(script, options.greet);
  try {
    return await runOn(service, args, options);
  } finally {
    await service.close();
  }
}

/** Characters that control a terminal. Colours are off in these tests. */
export const unsafe = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The message that a write may have been carried out; check before sending it again. */
export const mayBeDone = /may have succeeded/i;

/** The message that sending a request again is safe. */
export const unchanged = /nothing was changed/i;

/** Returns the broken guarantees in the printed output. */
export function violationsOf({ exitCode, stdout, stderr }: Run, args: readonly string[]): string[] {
  const isJson = args.includes("--json");
  const printed = [stdout, stderr].join("\n");
  const checks: Readonly<Record<string, boolean>> = {
    "the key is shown": printed.replaceAll(/[\s│]/g, "").includes(key),
    "it crashed": exitCode === 1 || stderr.includes("A defect"),
    "a stack trace is shown": !args.includes("--debug") && /^\s+at .*:\d+/m.test(stderr),
    "stdout is not JSON": isJson && !parses(stdout),
    "stderr contains control characters": unsafe.test(
      stderr.replaceAll("\r\u001b[K", "").replaceAll("\n", ""),
    ),
    "a table contains control characters": !isJson && unsafe.test(stdout.replaceAll("\n", "")),
    "the failure is not reported": exitCode !== 0 && stderr === "",
  };
  return Object.entries(checks).flatMap(([what, isBroken]) => (isBroken ? [what] : []));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a violation if the key is missing from the Authorization header or appears elsewhere. */
function misplacedKey({ head, body, headers }: Received): string[] {
  const isThere = headers["authorization"] === `Bearer ${key}`;
  const elsewhere = head.replace(`Bearer ${key}`, "").includes(key) || body.includes(key);
  return [
    ...(isThere ? [] : ["a request without its key"]),
    ...(elsewhere ? ["a request with its key in the wrong place"] : []),
  ];
}
