import { join } from "node:path";
import { createRequire } from "node:module";
import { PassThrough, Writable } from "node:stream";
import { inject } from "vitest";
import type * as program from "../../src/cli/main.ts";
import type { StopSignal } from "../../src/core/programs.ts";
import type { OutputStream, Runtime } from "../../src/core/runtime.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly isBuildCurrent: boolean;
  }
}

interface Loader {
  readonly load: (name: string) => typeof program;
}

if (!inject("isBuildCurrent")) {
  throw new Error("dist was built from other sources: npm run build");
}
const require = createRequire(import.meta.url);
const { load } = require("../../bin/sendctl.js") as Loader;

/** The built program, loaded in this process as by the launcher, once per test file. */
const builtProgram = load("./base.cjs");

interface Screen {
  readonly stream: OutputStream;
  readonly text: () => string;
}

/** Creates a stream that collects its text: a terminal with this many columns, or a pipe. */
export function screen(columns?: number, wrote?: (text: string) => void, rows?: number): Screen {
  const written: (string | Buffer)[] = [];
  const text = (): string => Buffer.concat(written.map((part) => Buffer.from(part))).toString();
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      written.push(chunk);
      done();
      wrote?.(text());
    },
  });
  const size = columns === undefined ? {} : { columns, ...(rows && { rows }) };
  // A prompt that pipes to the stream must not end it, as with the streams of a process.
  const terminal = { isTTY: columns !== undefined, _isStdio: true, ...size };
  return { stream: Object.assign(stream, terminal), text };
}

const { now, elapsed, random, sleep } = builtProgram.processRuntime();

/** Creates the part of a runtime that receives signals, and a function that sends one. */
export function stoppable() {
  const listeners = new Set<(signal: StopSignal) => void>();
  const onStop: Runtime["onStop"] = (listener, signals = ["SIGTERM"]) => {
    if (!signals.includes("SIGTERM")) return () => {};
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const stop = (signal: StopSignal): void => listeners.forEach((listener) => listener(signal));
  return { onStop, stop, isHeard: () => listeners.size > 0 };
}

/** Creates a runtime without signals, with the real clocks and a pipe as stdin. */
export function quietRuntime(
  folder: string,
  env: Runtime["env"],
  input: string | Uint8Array = "",
): Omit<Runtime, "stdout" | "stderr"> {
  return {
    stdin: new PassThrough().end(input),
    env,
    folder,
    home: env["HOME"] ?? folder,
    now,
    elapsed,
    random,
    sleep,
    onStop: () => () => {},
    suspend: () => {},
    onExit: () => () => {},
    program: [process.execPath, join(import.meta.dirname, "../../bin/sendctl.js")],
    run: () => Promise.reject(new Error("Use home.spawn for a command that starts programs")),
  };
}

/** Runs one command line of the built program in this process, without a terminal unless one is passed. */
export async function runMain(
  args: readonly string[],
  runtime: Omit<Runtime, "stdout" | "stderr">,
  [stdout, stderr]: readonly [Screen, Screen] = [screen(), screen()],
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const streams = { stdout: stdout.stream, stderr: stderr.stream };
  const exitCode = await builtProgram.main(args, { ...runtime, ...streams });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}
