import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { builtProgram } from "../support/built-program.ts";
import type { StopSignal } from "../../src/runtime/run-program.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { startService, type Received, type Script } from "./scripted-service.ts";

/** The key of every test here. It may stand in the header Authorization, and nowhere else. */
export const key = "sk_canary_7f3a9c51e8d24b60";

/** When every test here takes place, in milliseconds: the clock stands still. */
export const now = Date.UTC(2026, 0, 31, 8);

export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What `sleep` was asked for, in milliseconds: none of it takes any time. */
  readonly waits: readonly number[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of the terminal that all streams are; undefined where they are pipes. */
  readonly terminal?: number;
  /** From 0 to 1: which part of the longest backoff is waited. */
  readonly random?: number;
  /** Where everything is kept; nothing is kept remotely. */
  readonly home?: string;
  /** Given what asks the program to end. */
  readonly stopWith?: (stop: (signal: StopSignal) => void) => void;
  /** What a person answers when they are asked whether they are sure. */
  readonly keys?: string;
  /** All of standard input, where it is no keyboard. */
  readonly stdin?: string;
  /** A pause of more milliseconds than these ends only when the program is asked to end. */
  readonly neverEnds?: number;
  /** Called as each pause begins, before it is known whether the program is asked to end. */
  readonly paused?: (milliseconds: number) => void;
}

function screen(columns: number | undefined, wrote: () => void = () => {}) {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      written.push(chunk.toString());
      done();
      wrote();
    },
  });
  const terminal = Object.assign(stream, {
    isTTY: columns !== undefined,
    _isStdio: true,
    ...(columns === undefined ? {} : { columns }),
  });
  return { terminal, text: () => written.join("") };
}

function keyboard(isTTY: boolean): PassThrough & { isTTY: boolean } {
  const stdin = new PassThrough();
  return Object.assign(stdin, { isTTY, setRawMode: () => stdin });
}

/** Fulfilled once a signal is aborted. */
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
  const stdout = screen(terminal);
  const stderr = screen(terminal, () => {
    if (keys === undefined || pressed || !stderr.text().includes("(y/N)")) return;
    pressed = true;
    setImmediate(() => stdin.write(keys));
  });
  const waits: number[] = [];
  const folder = options.home ?? "/nonexistent";
  const runtime: Runtime = {
    stdin,
    stdout: stdout.terminal,
    stderr: stderr.terminal,
    env: { SENDCTL_SECRET_KEY: key, NO_COLOR: "1", ...options.env },
    folder,
    home: folder,
    now: () => now * 1000,
    elapsed: () => now,
    random: () => options.random ?? 1,
    sleep: async (milliseconds, signal) => {
      waits.push(milliseconds);
      options.paused?.(milliseconds);
      if (milliseconds > (options.neverEnds ?? Infinity)) await abortOf(signal);
      signal.throwIfAborted();
    },
    run: () => Promise.reject(new Error("Nothing is run here")),
    onStop: (heard) => {
      options.stopWith?.(heard);
      return () => {};
    },
  };
  const exitCode = await builtProgram.main(args, runtime);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), waits };
}

export interface RemoteRun extends Run {
  readonly received: readonly Received[];
  /** "POST /v1/group", one a request. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** What must never be, whatever the service does: empty where all is well. */
  readonly violations: readonly string[];
}

/** Runs the program against a service that follows a script. */
export async function runAgainst(
  script: Script,
  args: readonly string[],
  options: RunOptions & { readonly greet?: Parameters<typeof startService>[1] } = {},
): Promise<RemoteRun> {
  const service = await startService(script, options.greet);
  try {
    const ran = await run(["--base-url", service.baseUrl, ...args], options);
    const { received } = service;
    return {
      ...ran,
      received,
      requests: received.map(({ method, target }) => `${method} ${target}`),
      connections: service.connections(),
      violations: [...violationsOf(ran, args), ...received.flatMap(misplacedKey)],
    };
  } finally {
    await service.close();
  }
}

/** What a terminal would obey: ours of colours are off here. */
export const unsafe = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What must never be, whatever came: of what was printed. */
export function violationsOf({ exitCode, stdout, stderr }: Run, args: readonly string[]): string[] {
  const isJson = args.includes("--json");
  const printed = [stdout, stderr].join("\n");
  const checks: Readonly<Record<string, boolean>> = {
    "the key is shown": printed.replaceAll(/[\s│]/g, "").includes(key),
    "it crashed": exitCode === 1 || stderr.includes("A defect"),
    "a stack is shown": !args.includes("--debug") && /^\s+at .*:\d+/m.test(stderr),
    "stdout is no JSON": isJson && !parses(stdout),
    "stderr holds what a terminal obeys": unsafe.test(stderr.replaceAll("\n", "")),
    "a table holds what a terminal obeys": !isJson && unsafe.test(stdout.replaceAll("\n", "")),
    "nothing is said of the failure": exitCode !== 0 && stderr === "",
  };
  return Object.entries(checks).flatMap(([fault, isSo]) => (isSo ? [fault] : []));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The key belongs in one header of a request, and in it alone. */
function misplacedKey({ head, body, headers }: Received): string[] {
  const isThere = headers["authorization"] === `Bearer ${key}`;
  const elsewhere = head.replace(`Bearer ${key}`, "").includes(key) || body.includes(key);
  return [
    ...(isThere ? [] : ["a request without its key"]),
    ...(elsewhere ? ["a request with its key where it does not belong"] : []),
  ];
}
